"""What comparing the parts of an EKS cluster shows, where nobody says it: a line for each thing that does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trainyard.catalog.instances import find
from trainyard.edge.aws import ec2
from trainyard.edge.aws.ec2 import Described, launch_template_data, reservation_of
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.aws.reservation_groups import reservations_in
from trainyard.edge.kubernetes.documents import Document, labels, number, parts, text
from trainyard.platforms.eks.diagnosis.cluster_facts import EksFacts
from trainyard.platforms.eks.diagnosis.kubernetes_evidence import line

BEGINNING = "eks check: "
"""What lines begin with that nobody but us writes."""
_TYPE_LABEL = "node.kubernetes.io/instance-type"
_RESOURCES = {"nvidia": "nvidia.com/gpu", "aws": "aws.amazon.com/neuron"}
_JOINS_WITHIN_S = 900
_MOST = 20
_PART = "its reservations"
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservation.html
_COMING = ("pending", "scheduled", "payment-pending", "assessing", "delayed")


def not_joined(facts: EksFacts, nodes: Sequence[Document]) -> Iterator[str]:
    """Yield the instances that run for longer than joining takes, and that Kubernetes does not know."""
    joined = {text(node, "spec", "providerID").rpartition("/")[2] for node in nodes}
    now_s = facts.account.clock.now()
    for instance in facts.instances[:_MOST]:
        age_s = now_s - instance["LaunchTime"].timestamp() if "LaunchTime" in instance else 0
        if instance["State"]["Name"] == "running" and instance["InstanceId"] not in joined and age_s > _JOINS_WITHIN_S:
            minutes = f"{age_s / 60:.0f} minutes"
            what = f"Instances failed to join the kubernetes cluster: {instance['InstanceId']} runs for {minutes}"
            yield line("", instance.get("PrivateDnsName", ""), f"{BEGINNING}{what}")


def missing_devices(nodes: Iterable[Document]) -> Iterator[str]:
    """Yield the nodes that are ready and offer fewer accelerators than their instance type has."""
    for node in nodes:
        type_facts = find(text(labels(node), _TYPE_LABEL))
        if type_facts is None or type_facts.accelerators is None or not _is_ready(node):
            continue
        resource = _RESOURCES[type_facts.accelerators.vendor]
        count = number(node, "status", "allocatable", resource)
        if count < type_facts.accelerators.count:
            name = text(node, "metadata", "name")
            what = f"node {name} offers {count} {resource} of the {type_facts.accelerators.count} of {type_facts.name}"
            yield line("", name, f"{BEGINNING}{what}")


def _is_ready(node: Document) -> bool:
    conditions = parts(node, "status", "conditions")
    return any(text(condition, "type") == "Ready" and text(condition, "status") == "True" for condition in conditions)


def reservation_lines(facts: EksFacts) -> Iterator[str]:
    """Yield a line for each reason why instances do not get into what the launch template of a node group names."""
    for group in facts.node_groups:
        named = _named(facts, group)
        if named is not None:
            yield from _of_group(facts, group, named)


def _named(facts: EksFacts, group: NodeGroupState) -> str | None:
    if group.launch_template is None:
        return None
    named, version = group.launch_template
    data = facts.ask("its launch templates", launch_template_data, named, version or "$Default")
    return None if data is None else reservation_of(data)


def _of_group(facts: EksFacts, group: NodeGroupState, named: str) -> Iterator[str]:
    by_id = facts.ask(_PART, ec2.capacity_reservations)
    ids = facts.ask(_PART, reservations_in, named) if named.startswith("arn:") else (named,)
    if by_id is None:
        return
    for id_ in ids or ():
        if id_ not in by_id:
            yield f"capacity reservation ID '{id_}' does not exist in this account and region: node group {group.name}"
    reservations = [by_id[id_] for id_ in ids or () if id_ in by_id]
    yield from (_of_state(reservation, group) for reservation in reservations if reservation["State"] != "active")
    usable = [reservation for reservation in reservations if reservation["State"] == "active"]
    yield from (line for reservation in usable for line in _mismatch(reservation, group))
    yield from _too_small(facts, usable, group)


def _of_state(reservation: Described, group: NodeGroupState) -> str:
    id_, state = reservation["CapacityReservationId"], reservation["State"]
    if reservation.get("ReservationType") != "capacity-block":
        return f"capacity reservation ID '{id_}' does not exist for launches: it is {state}, node group {group.name}"
    begins = state in _COMING and "StartDate" in reservation
    when = f", which begins at {reservation['StartDate']:%Y-%m-%d %H:%M} UTC" if begins else ""
    return f"Capacity Block reservation {id_} is in state {state}, of node group {group.name}{when}"


def _mismatch(reservation: Described, group: NodeGroupState) -> Iterator[str]:
    if group.instance_types and reservation.get("InstanceType") not in group.instance_types:
        types = ", ".join(group.instance_types)
        yield (
            f"Capacity reservation {reservation['CapacityReservationId']} must have the same instance type as "
            f"node group {group.name}: it is for {reservation.get('InstanceType')}, and the node group has {types}"
        )


def _too_small(facts: EksFacts, usable: list[Described], group: NodeGroupState) -> Iterator[str]:
    running = sum(instance["State"]["Name"] == "running" for instance in facts.instances if _is_of(instance, group))
    missing = group.desired_nodes - running
    left = sum(reservation.get("AvailableInstanceCount", 0) for reservation in usable)
    total = sum(reservation.get("TotalInstanceCount", 0) for reservation in usable)
    if usable and missing > left:
        ids = ", ".join(reservation["CapacityReservationId"] for reservation in usable)
        yield (
            f"ReservationCapacityExceeded: capacity reservation {ids} has {left} of {total} instances left, and node "
            f"group {group.name} wants {missing} more"
        )


def _is_of(instance: Described, group: NodeGroupState) -> bool:
    return ec2.tags_of(instance).get("eks:nodegroup-name") == group.name
