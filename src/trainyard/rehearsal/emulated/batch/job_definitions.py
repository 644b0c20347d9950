"""Job definitions with all their node ranges, and their revisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.rehearsal.emulated.batch.state import arn, batch_state, refusal
from trainyard.rehearsal.emulated.resource import Aws

_NEEDED = ("VCPU", "MEMORY")
_MOST_NODES = 100_000


def register(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer RegisterJobDefinition with another revision.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_RegisterJobDefinition.html
    """
    here, name = batch_state(aws.account_id, aws.region), request["jobDefinitionName"]
    _refuse_incomplete(request)
    revision = 1 + max(
        (definition["revision"] for definition in here.definitions.values() if definition["jobDefinitionName"] == name),
        default=0,
    )
    whole = arn(aws.account_id, aws.region, f"job-definition/{name}:{revision}")
    here.definitions[whole] = {
        "jobDefinitionArn": whole,
        "revision": revision,
        "status": "ACTIVE",
        "containerOrchestrationType": "ECS",
        "tags": {},
        **request,
    }
    return {"jobDefinitionName": name, "jobDefinitionArn": whole, "revision": revision}


def describe(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that are asked for: by ARN, by NAME:REVISION, or all revisions of a name."""
    every = list(batch_state(aws.account_id, aws.region).definitions.values())
    names = request.get("jobDefinitions") or ([request["jobDefinitionName"]] if "jobDefinitionName" in request else [])
    chosen = (
        [definition for definition in every if any(_is_meant(definition, name) for name in names)] if names else every
    )
    return [definition for definition in chosen if request.get("status") in (None, definition["status"])]


def deregister(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeregisterJobDefinition: it stays to be seen, inactive."""
    for definition in describe(aws, {"jobDefinitions": [request["jobDefinition"]]}):
        definition["status"] = "INACTIVE"
    return {}


def definition_of(aws: Aws, name: str) -> dict[str, Any]:
    """Return the definition that a job names: of a name without a revision the latest active one."""
    active = [
        definition for definition in describe(aws, {"jobDefinitions": [name]}) if definition["status"] == "ACTIVE"
    ]
    if not active:
        raise refusal(f"JobDefinition {name} not found")
    return max(active, key=lambda definition: int(definition["revision"]))


def node_containers(properties: Mapping[str, Any], nodes: int) -> list[Mapping[str, Any]]:
    """Return the container of each node. Raises the service's error where a node has none or two ranges have it."""
    if nodes > _MOST_NODES:
        raise refusal(f"the emulated account has no jobs of {nodes} nodes")
    containers: list[Mapping[str, Any] | None] = [None] * nodes
    for property_ in properties["nodeRangeProperties"]:
        for index in target_nodes(property_["targetNodes"], nodes):
            containers[index] = property_["container"]  # of nested ranges, the last one wins
    left = [index for index, container in enumerate(containers) if container is None]
    if left:
        raise refusal(f"Node {left[0]} of {nodes} is in none of nodeRangeProperties")
    return [container for container in containers if container is not None]


def target_nodes(nodes_text: str, nodes: int) -> Sequence[int]:
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


def _is_meant(definition: Mapping[str, Any], name: str) -> bool:
    written = name.rpartition("job-definition/")[2]
    return written in (definition["jobDefinitionName"], f"{definition['jobDefinitionName']}:{definition['revision']}")


def _refuse_incomplete(request: Mapping[str, Any]) -> None:
    kind = request["type"]
    properties = request.get("nodeProperties")
    if kind != "multinode" or properties is None:
        if kind == "multinode" or not any(name in request for name in ("containerProperties", "ecsProperties")):
            raise refusal(f"{'nodeProperties' if kind == 'multinode' else 'containerProperties'} must not be empty")
        return
    if not 0 <= properties["mainNode"] < properties["numNodes"]:
        raise refusal("nodeProperties: mainNode must be one of the nodes")
    for container in node_containers(properties, properties["numNodes"]):
        given_types = {
            resource_requirement["type"] for resource_requirement in container.get("resourceRequirements", ())
        }
        lacking = [
            name
            for name in _NEEDED
            if name not in given_types and {"VCPU": "vcpus"}.get(name, "memory") not in container
        ]
        if lacking or "image" not in container:
            raise refusal(f"nodeRangeProperties.container: {', '.join(lacking) or 'image'} must not be empty")
