"""How many nodes a node group is to have: what the spec says, and what somebody has set by hand within that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.eks import NodeGroupState
from trainyard.platforms.eks.deployment.config import node_groups_of
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.spec.cluster import Spec


class NodeCounts(NamedTuple):
    """The least, the desired and the most nodes."""

    least: int
    desired: int
    most: int


def wanted_sizes(spec: Spec, config: Mapping[str, Any], existing_group: NodeGroupState) -> NodeCounts:
    """Return what a node group that exists is to have.

    Where the spec does not say how many of its range are desired, they stay as many as they are: somebody has scaled
    them, and jobs run there.
    """
    group = node_groups_of(config)[existing_group.name]
    least, desired, most = group["minSize"], group["desiredCapacity"], group["maxSize"]
    if existing_group.name in _open(spec):
        desired = min(max(existing_group.desired_nodes, least), most)
    return NodeCounts(least, desired, most)


def sizes_of(group: NodeGroupState) -> NodeCounts:
    """Return what a node group has."""
    return NodeCounts(group.min_nodes, group.desired_nodes, group.max_nodes)


def _open(spec: Spec) -> set[str]:
    """Return the names of node groups whose desired number the spec leaves open."""
    return {
        node_group_name(group)
        for group in spec.node_groups()
        if not isinstance(group.settings.nodes, int) and group.settings.nodes.desired is None
    }
