"""Job definitions with all their node ranges, and their revisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.rehearsal.emulated.batch.state import arn, batch_state, refusal
from trainyard.rehearsal.emulated.resource import Aws

_NEEDED = ("VCPU", "MEMORY")
_MOST_NODES = 100_000


def register(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer RegisterJobDefinition with another revision.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_RegisterJobDefinition.html
    """
    here, name = batch_state(aws.account_id, aws.region), asked["jobDefinitionName"]
    _refuse_incomplete(asked)
    revision = 1 + max(
        (one["revision"] for one in here.definitions.values() if one["jobDefinitionName"] == name), default=0
    )
    whole = arn(aws.account_id, aws.region, f"job-definition/{name}:{revision}")
    here.definitions[whole] = {
        "jobDefinitionArn": whole,
        "revision": revision,
        "status": "ACTIVE",
        "containerOrchestrationType": "ECS",
        "tags": {},
        **asked,
    }
    return {"jobDefinitionName": name, "jobDefinitionArn": whole, "revision": revision}


def describe(aws: Aws, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that are asked for: by ARN, by NAME:REVISION, or all revisions of a name."""
    every = list(batch_state(aws.account_id, aws.region).definitions.values())
    wanted = asked.get("jobDefinitions") or ([asked["jobDefinitionName"]] if "jobDefinitionName" in asked else [])
    chosen = [one for one in every if any(_is_meant(one, name) for name in wanted)] if wanted else every
    return [one for one in chosen if asked.get("status") in (None, one["status"])]


def deregister(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeregisterJobDefinition: it stays to be seen, inactive."""
    for one in describe(aws, {"jobDefinitions": [asked["jobDefinition"]]}):
        one["status"] = "INACTIVE"
    return {}


def existing(aws: Aws, name: str) -> dict[str, Any]:
    """Return the definition that a job names: of a name without a revision the latest active one."""
    active = [one for one in describe(aws, {"jobDefinitions": [name]}) if one["status"] == "ACTIVE"]
    if not active:
        raise refusal(f"JobDefinition {name} not found")
    return max(active, key=lambda one: int(one["revision"]))


def node_containers(properties: Mapping[str, Any], nodes: int) -> list[Mapping[str, Any]]:
    """Return the container of each node. Raises the service's error where a node has none or two ranges have it."""
    if nodes > _MOST_NODES:
        raise refusal(f"the emulated account has no jobs of {nodes} nodes")
    containers: list[Mapping[str, Any] | None] = [None] * nodes
    for property_ in properties["nodeRangeProperties"]:
        for index in targeted(property_["targetNodes"], nodes):
            containers[index] = property_["container"]  # of nested ranges, the last one wins
    left = [index for index, container in enumerate(containers) if container is None]
    if left:
        raise refusal(f"Node {left[0]} of {nodes} is in none of nodeRangeProperties")
    return [container for container in containers if container is not None]


def targeted(nodes_text: str, nodes: int) -> Sequence[int]:
    """Return the nodes of a range such as 0:, :3 or 1:4. Raises the service's error for another text."""
    first, colon, last = nodes_text.partition(":")
    try:
        begin = int(first or 0)
        end = begin if not colon else int(last) if last else nodes - 1
    except ValueError:
        raise refusal(f"targetNodes: {nodes_text!r} is no range of nodes") from None
    if not 0 <= begin <= end < nodes:
        raise refusal(f"targetNodes: {nodes_text!r} is no range of {nodes} nodes")
    return range(begin, end + 1)


def _is_meant(one: Mapping[str, Any], name: str) -> bool:
    written = name.rpartition("job-definition/")[2]
    return written in (one["jobDefinitionName"], f"{one['jobDefinitionName']}:{one['revision']}")


def _refuse_incomplete(asked: Mapping[str, Any]) -> None:
    kind = asked["type"]
    properties = asked.get("nodeProperties")
    if kind != "multinode" or properties is None:
        if kind == "multinode" or not any(name in asked for name in ("containerProperties", "ecsProperties")):
            raise refusal(f"{'nodeProperties' if kind == 'multinode' else 'containerProperties'} must not be empty")
        return
    if not 0 <= properties["mainNode"] < properties["numNodes"]:
        raise refusal("nodeProperties: mainNode must be one of the nodes")
    for container in node_containers(properties, properties["numNodes"]):
        given = {resource_requirement["type"] for resource_requirement in container.get("resourceRequirements", ())}
        lacking = [
            name for name in _NEEDED if name not in given and {"VCPU": "vcpus"}.get(name, "memory") not in container
        ]
        if lacking or "image" not in container:
            raise refusal(f"nodeRangeProperties.container: {', '.join(lacking) or 'image'} must not be empty")
