"""How people get at the metrics of a cluster: what the stack of its monitoring says, and whether that works now."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shlex import join
from typing import NamedTuple

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import workspace_state
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.aws.grafana import find_workspace
from trainyard.edge.aws.stacks import StackState
from trainyard.errors import TrainyardError

_MODE = "MonitoringType"
_MISSING = "MISSING"


class WorkspaceState(NamedTuple):
    """A workspace of one of Amazon's services, as that describes it."""

    service: str
    id: str
    status: str
    """ACTIVE where it works, MISSING where it is not there, or why nobody could tell."""


class Query(NamedTuple):
    """How Amazon Managed Prometheus is asked. Its requests are signed, so a browser cannot."""

    url: str
    """Of the API: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-Prometheus-Compatible-Apis.html"""
    view: str
    """The command that shows the dashboards on this machine."""
    example: str
    """A command that asks one question: https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-compatible-APIs.html"""


@dataclass(frozen=True, slots=True)
class MonitoringAccess:
    """What there is of monitoring."""

    of: str
    """The stack that has it: the cluster's own, or that of its environment."""
    mode: str
    outputs: Mapping[str, str]
    """By their names, in the order of access.yaml."""
    workspaces: tuple[WorkspaceState, ...]
    query: Query | None
    """None where Prometheus is not Amazon's."""


def monitoring_access(account: Account, stacks: Iterable[StackState]) -> MonitoringAccess | None:
    """Return what the monitoring stack among these says; None where there is none."""
    stack = next((stack for stack in stacks if _MODE in stack.outputs and stack.name.endswith("-monitoring")), None)
    if stack is None:
        return None
    outputs = {name: stack.outputs[name] for name in documented_outputs() if name in stack.outputs}
    endpoint = outputs.get("AMPPrometheusEndpoint")
    query = None if endpoint is None else query_of(endpoint, account.region)
    return MonitoringAccess(stack.name, stack.outputs[_MODE], outputs, tuple(_workspaces(account, outputs)), query)


@cache
def documented_outputs() -> Mapping[str, str]:
    """Return what each output is, by its name."""
    text = Path(__file__).with_name("access.yaml").read_bytes()
    outputs: dict[str, str] = yaml.load(text, Loader=yaml.CSafeLoader)
    return outputs


def query_of(endpoint: str, region: str) -> Query:
    """Return how a workspace is asked."""
    base = endpoint.rstrip("/")
    url = f"{base}/api/v1/query"
    return Query(
        url,
        join(["trainyard", "monitor", "view", "--prometheus", base, "--region", region]),
        join(["awscurl", "--service", "aps", "--region", region, f"{url}?query=up"]),
    )


def _workspaces(account: Account, outputs: Mapping[str, str]) -> Iterator[WorkspaceState]:
    if (prometheus := outputs.get("AMPWorkspaceId")) is not None:
        yield WorkspaceState(
            "Amazon Managed Prometheus", prometheus, _answer_or_error(account, _of_prometheus, prometheus)
        )
    if (grafana := outputs.get("ManagedGrafanaWorkspaceId")) is not None:
        yield WorkspaceState("Amazon Managed Grafana", grafana, _answer_or_error(account, _of_grafana, grafana))


def _answer_or_error(account: Account, ask: Callable[[Account, str], str], workspace: str) -> str:
    """Return what a service says. Who may not ask it still gets to see all else."""
    try:
        with aws_errors(account.region):
            return ask(account, workspace)
    except TrainyardError as error:
        return f"not known: {error.problem}"


def _of_prometheus(account: Account, workspace: str) -> str:
    return str(workspace_state(account, workspace))


def _of_grafana(account: Account, workspace: str) -> str:
    described = find_workspace(account, workspace)
    return _MISSING if described is None else described.status
