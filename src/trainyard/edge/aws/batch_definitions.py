"""Job definitions of AWS Batch: what their jobs run and ask for, on how many nodes, and where they log. Asks only.

https://docs.aws.amazon.com/batch/latest/APIReference/API_DescribeJobDefinitions.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import NodeNeed, node_needs
from trainyard.edge.aws.calls import answer, client, pages

BATCH_LOG_GROUP = "/aws/batch/job"
"""Where containers log to that name no group: https://docs.aws.amazon.com/batch/latest/userguide/using_awslogs.html"""
_PERMISSION, _OPERATION = "batch:DescribeJobDefinitions", "describe_job_definitions"


class JobDefinition(NamedTuple):
    """A revision of a job definition."""

    arn: str
    name: str
    revision: int
    type: str
    """multinode, or container for jobs of one."""
    nodes: int
    main_node: int
    needs: tuple[NodeNeed, ...]
    """What its nodes ask for, one for each range of them."""

    @property
    def instance_type(self) -> str | None:
        """Return the type of its nodes, where it names one."""
        return next((one.instance_type for one in self.needs if one.instance_type), None)

    @property
    def images(self) -> tuple[str, ...]:
        """Return the images of its containers, each once."""
        return tuple(dict.fromkeys(one.image for one in self.needs if one.image))

    @property
    def log_groups(self) -> tuple[str, ...]:
        """Return where its containers log to, each once."""
        return tuple(dict.fromkeys(one.log_group or BATCH_LOG_GROUP for one in self.needs))


def find_definition(account: Account, name: str) -> JobDefinition | None:
    """Return a definition by ARN, by NAME:REVISION, or the latest active one of a name; None where there is none."""
    asked: dict[str, Any] = {"jobDefinitionName": name, "status": "ACTIVE", "maxResults": 100}
    if name.startswith("arn:") or ":" in name:
        asked = {"jobDefinitions": [name]}
    call = partial(client(account, "batch").describe_job_definitions, **asked)
    found = answer(account, _PERMISSION, call).get("jobDefinitions", ())
    active = [one for one in found if one.get("status", "ACTIVE") == "ACTIVE"]
    return max(map(_definition, active), key=lambda one: one.revision, default=None)


def definitions(account: Account, arns: Iterable[str]) -> tuple[JobDefinition, ...]:
    """Return those of some definitions that are there, by their ARNs.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    wanted = list(dict.fromkeys(arns))
    if not wanted:
        return ()
    return tuple(map(_definition, pages(account, _PERMISSION, _OPERATION, "jobDefinitions", jobDefinitions=wanted)))


def definition_names(account: Account, beginning: str) -> tuple[str, ...]:
    """Return the names of the account's active definitions that begin so."""
    listed = pages(account, _PERMISSION, _OPERATION, "jobDefinitions", status="ACTIVE")
    return tuple(sorted({one["jobDefinitionName"] for one in listed if one["jobDefinitionName"].startswith(beginning)}))


def _definition(described: Mapping[str, Any]) -> JobDefinition:
    properties = described.get("nodeProperties", {})
    return JobDefinition(
        described["jobDefinitionArn"],
        described["jobDefinitionName"],
        int(described["revision"]),
        described.get("type", ""),
        int(properties.get("numNodes", 1)),
        int(properties.get("mainNode", 0)),
        tuple(node_needs(described, "containerProperties")),
    )
