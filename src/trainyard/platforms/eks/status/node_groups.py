"""The node groups of an EKS cluster, each with its instances, its nodes and its reservation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_instances import FailedLaunch, failed_launches_of
from trainyard.edge.aws.ec2 import launch_template_data, reservation_of
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.edge.aws.nodes import ClusterNode
from trainyard.operate.status.reservations import Reservation
from trainyard.platforms.eks.status.eks_status import KubernetesNode, NodeGroupStatus
from trainyard.platforms.eks.status.missing_nodes import OfGroup, reasons

# https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
_PURCHASES = {"ON_DEMAND": "on-demand", "SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}


class LaunchSettings(NamedTuple):
    """What a node group launches with."""

    reservation: str | None
    """The id of a reservation or Capacity Block, or the ARN of a group of them."""
    instance_type: str | None


def ask_launching(account: Account, group: NodeGroupState) -> LaunchSettings:
    """Return what the launch template of a node group names."""
    if group.launch_template is None:
        return LaunchSettings(None, None)
    named, version = group.launch_template
    data = launch_template_data(account, named, version or "$Default")
    return (
        LaunchSettings(None, None) if data is None else LaunchSettings(reservation_of(data), data.get("InstanceType"))
    )


def ask_failed_launches(account: Account, group: NodeGroupState) -> tuple[FailedLaunch, ...]:
    """Return the launches of a node group that failed, the newest first."""
    launches = [failed_launch for name in group.scaling_groups for failed_launch in failed_launches_of(account, name)]
    return tuple(sorted(launches, key=lambda failed_launch: failed_launch.at, reverse=True))


def with_type(group: NodeGroupState, launching: LaunchSettings | None) -> NodeGroupState:
    """Return a node group with its instance type, also where only the launch template names it."""
    if group.instance_types or launching is None or launching.instance_type is None:
        return group
    return group._replace(instance_types=(launching.instance_type,))


def reservations_in_use(groups: Iterable[tuple[NodeGroupState, LaunchSettings | None]]) -> list[tuple[str, str]]:
    """Return the node groups whose launch templates name a reservation, with that."""
    return [
        (group.name, launching.reservation)
        for group, launching in groups
        if launching is not None and launching.reservation is not None
    ]


def purchase(group: NodeGroupState) -> str:
    """Return on-demand, spot or capacity-block."""
    return _PURCHASES.get(group.capacity_type, group.capacity_type.lower().replace("_", "-"))


def node_group(
    of: OfGroup,
    reservation: str | None,
    now_s: float,
) -> NodeGroupStatus:
    """Return a node group with the reasons for which it is short of nodes."""
    state, nodes = of.state, of.nodes
    return NodeGroupStatus(
        state.name,
        state.status,
        state.instance_types,
        purchase(state),
        reservation,
        state.min_nodes,
        state.desired_nodes,
        state.max_nodes,
        dict(Counter(instance.state for instance in of.instances)),
        None if nodes is None else len(nodes),
        None if nodes is None else sum(node.ready for node in nodes),
        None if nodes is None else sum(node.cordoned for node in nodes),
        state.health,
        reasons(of, now_s),
    )


def reservation_for(group: str, reservations: Iterable[Reservation]) -> Reservation | None:
    """Return the reservation of a node group; of several, the first that cannot be used."""
    own = sorted(
        (candidate for candidate in reservations if group in candidate.queues),
        key=lambda reservation: reservation.state == "active",
    )
    return own[0] if own else None


def of_group(name: str, instances: Iterable[ClusterNode]) -> tuple[ClusterNode, ...]:
    """Return the instances of a node group."""
    return tuple(instance for instance in instances if instance.queue == name)


def nodes_of_group(
    state: NodeGroupState, nodes: Iterable[KubernetesNode] | None, instances: Mapping[str, ClusterNode]
) -> tuple[KubernetesNode, ...] | None:
    """Return the Kubernetes nodes of a node group, by their label or their instance; None where nobody knows any."""
    if nodes is None:
        return None
    return tuple(node for node in nodes if (node.group or _group_by_instance(node, instances)) == state.name)


def _group_by_instance(node: KubernetesNode, instances: Mapping[str, ClusterNode]) -> str | None:
    instance = instances.get(node.instance or "")
    return None if instance is None else instance.queue
