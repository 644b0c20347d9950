"""Job definitions of AWS Batch, as far as a submission has to know them. Asks only."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from trainyard.edge.aws.asking import answer, client, pages

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account


class NodeRange(NamedTuple):
    """Nodes of a multi-node job that run the same."""

    target: str
    """Such as 0: or 1:3."""
    vcpus: int | None
    instance_type: str | None

    @property
    def first(self) -> int:
        """Return the index of its first node."""
        return int(self.target.partition(":")[0] or 0)

    @property
    def is_open(self) -> bool:
        """Return whether it has no end, so that a job may have another number of nodes."""
        return self.target.endswith(":")


class JobDefinition(NamedTuple):
    """A revision of a job definition."""

    arn: str
    name: str
    revision: int
    type: str
    nodes: int
    main_node: int
    ranges: tuple[NodeRange, ...]

    @property
    def instance_type(self) -> str | None:
        """Return the type of its nodes, where it names one."""
        return next((one.instance_type for one in self.ranges if one.instance_type), None)


def find_definition(account: Account, name: str) -> JobDefinition | None:
    """Return a definition by ARN, by NAME:REVISION, or the latest active one of a name; None where there is none."""
    if name.startswith("arn:") or ":" in name:
        call = partial(client(account, "batch").describe_job_definitions, jobDefinitions=[name])
    else:
        call = partial(
            client(account, "batch").describe_job_definitions, jobDefinitionName=name, status="ACTIVE", maxResults=100
        )
    found = answer(account, "batch:DescribeJobDefinitions", call).get("jobDefinitions", ())
    active = [one for one in found if one.get("status", "ACTIVE") == "ACTIVE"]
    return max(map(_definition, active), key=lambda one: one.revision, default=None)


def definition_names(account: Account, beginning: str) -> tuple[str, ...]:
    """Return the names of the account's active definitions that begin so."""
    listed = pages(
        account, "batch:DescribeJobDefinitions", "describe_job_definitions", "jobDefinitions", status="ACTIVE"
    )
    return tuple(sorted({one["jobDefinitionName"] for one in listed if one["jobDefinitionName"].startswith(beginning)}))


def _definition(described: dict[str, Any]) -> JobDefinition:
    properties = described.get("nodeProperties", {})
    return JobDefinition(
        described["jobDefinitionArn"],
        described["jobDefinitionName"],
        int(described["revision"]),
        described["type"],
        int(properties.get("numNodes", 1)),
        int(properties.get("mainNode", 0)),
        tuple(_range(one) for one in properties.get("nodeRangeProperties", ())),
    )


def _range(described: dict[str, Any]) -> NodeRange:
    container = described.get("container", {})
    wanted = {one["type"]: one["value"] for one in container.get("resourceRequirements", ())}
    vcpus = wanted.get("VCPU", container.get("vcpus"))
    return NodeRange(described["targetNodes"], None if vcpus is None else int(vcpus), container.get("instanceType"))
