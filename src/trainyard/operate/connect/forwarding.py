"""Tunnels: which port of which instance comes to which port of this machine."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_sessions import ONLINE, SessionRequest
from trainyard.errors import InputError
from trainyard.operate.connect.agents import known_agent_state
from trainyard.operate.connect.monitoring_stack import made_by_trainyard, monitoring_stack
from trainyard.operate.connect.target import HEAD, Target, require_running
from trainyard.operate.connect.target_search import find_target

NAMED_PORTS = {"grafana": 3000, "prometheus": 9090}
"""Where they listen by default: https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/#http_port and
https://prometheus.io/docs/prometheus/latest/command-line/prometheus/"""
_WRITTEN = re.compile(rf"({'|'.join(NAMED_PORTS)}|[0-9]{{1,5}})(?::([0-9]{{1,5}}))?")
_LARGEST_PORT = 65535


class Wanted(NamedTuple):
    """A tunnel as it was asked for."""

    name: str | None
    """grafana or prometheus; None where a port was named."""
    port: int
    local_port: int


class Tunnel(NamedTuple):
    """A tunnel as it will be."""

    target: Target
    wanted: Wanted
    through: Target | None = None
    """The head node, where the target has no session of its own."""

    @property
    def url(self) -> str:
        """Return where it begins on this machine."""
        return f"http://localhost:{self.wanted.local_port}"

    @property
    def request(self) -> SessionRequest:
        """Return what is asked of Systems Manager.

        https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
        """
        ports = {"portNumber": str(self.wanted.port), "localPortNumber": str(self.wanted.local_port)}
        if self.through is None:
            return SessionRequest(self.target.instance, "AWS-StartPortForwardingSession", ports)
        there = {"host": self.target.private_address or "", **ports}
        return SessionRequest(self.through.instance, "AWS-StartPortForwardingSessionToRemoteHost", there)

    @property
    def note(self) -> str | None:
        """Return what there is to know of it; None where nothing is."""
        if self.through is not None:
            return f"{self.target.words} has no session of its own: this goes through {self.through.words}"
        if self.wanted.name == "prometheus" and self.target.role == "HeadNode":
            return (
                "where the head node's Prometheus sends its metrics elsewhere, it shows targets and answers no queries"
            )
        return None


def tunnel_wanted(written: str) -> Wanted:
    """Return what is meant by grafana, prometheus or PORT, each with :LOCALPORT or without.

    Raises InputError for anything else.
    """
    match = _WRITTEN.fullmatch(written)
    if match is not None:
        what, local = match.groups()
        port = NAMED_PORTS.get(what) or int(what)
        local_port = port if local is None else int(local)
        if 0 < port <= _LARGEST_PORT and 0 < local_port <= _LARGEST_PORT:
            return Wanted(what if what in NAMED_PORTS else None, port, local_port)
    hint = "grafana, prometheus or PORT, with :LOCALPORT for another port of this machine, such as grafana:13000"
    raise InputError(f"{written!r} is no tunnel", where="--forward", hint=hint)


def tunnel_to(account: Account, cluster: str, wanted: Wanted, node: str | None) -> Tunnel:
    """Return a tunnel to a node; Grafana and Prometheus are looked for where the cluster has them.

    Raises InputError where the cluster has no such thing, TrainyardError where the instance does not run.
    """
    if node is None and wanted.name is not None:
        node = _home_of(account, cluster, wanted.name)
    target = require_running(find_target(account, cluster, node), account.region)
    # Grafana and Prometheus listen on their own machine alone, so that no other can lead there.
    if target.role not in ("Compute", "LoginNode") or known_agent_state(account, target.instance) in (ONLINE, ""):
        return Tunnel(target, wanted)
    return Tunnel(target, wanted, require_running(find_target(account, cluster, HEAD), account.region))


def _home_of(account: Account, cluster: str, name: str) -> str:
    stack = monitoring_stack(account, cluster)
    if stack is None:
        if made_by_trainyard(account, cluster):
            hint = f"it was deployed with `monitoring.mode: none`; --node says where {name} is, if it is anywhere"
            raise InputError(f"{cluster} has no {name}", where="--forward", hint=hint)
        return HEAD
    if "MonitoringInstanceId" in stack.outputs:
        return "monitoring"
    if name == "prometheus":
        return HEAD
    if workspace := stack.outputs.get("ManagedGrafanaWorkspaceEndpoint"):
        problem = f"Grafana of {cluster} is a workspace of Amazon Managed Grafana, which needs no tunnel"
        raise InputError(problem, where="--forward", hint=f"open https://{workspace}")
    hint = f"`trainyard monitor view {cluster} --region {account.region}` shows the dashboards on this machine"
    raise InputError(f"{cluster} has no Grafana", where="--forward", hint=hint)
