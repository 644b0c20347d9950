"""cluster.yaml of Amazon EKS as it is to be, and the manifests, with what stacks have made and sizes set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from trainyard.bundle.config_text import config_text
from trainyard.deploy.work import Work
from trainyard.edge.aws.eks import NodeGroupState
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.platforms.eks.rendering.manifests import EXAMPLES, manifests
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def desired_config(work: Work) -> dict[str, Any]:
    """Return what eksctl is to be given. Raises TrainyardError where a stand-in is left in it."""
    ids = Ids(work.outputs)
    config = cluster(work.required_spec(), ids)
    _refuse_stand_ins(ids)
    return config


def config_so_far(work: Work) -> dict[str, Any]:
    """Return the same, with stand-ins for what stacks still have to make."""
    return cluster(work.required_spec(), Ids(work.outputs))


def text_of(work: Work, config: Mapping[str, Any]) -> str:
    """Return a configuration as eksctl reads it."""
    return config_text(work.required_spec(), config)


def former_config(text: str | None) -> dict[str, Any] | None:
    """Return the configuration that a record holds; None where it holds none."""
    config = None if text is None else yaml.load(text, Loader=yaml.CSafeLoader)
    return config if isinstance(config, dict) and config.get("kind") == "ClusterConfig" else None


def node_groups_of(config: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the node groups of a configuration by their names."""
    return {group["name"]: group for group in config.get("managedNodeGroups", ())}


def desired_manifests(work: Work) -> dict[str, list[dict[str, Any]]]:
    """Return the documents of each file in the order in which they are applied, without the examples of jobs."""
    ids = Ids(work.outputs)
    documents = manifests(work.required_spec(), ids)
    _refuse_stand_ins(ids)
    return {name: documents[name] for name in sorted(documents) if not name.startswith(EXAMPLES)}


def _refuse_stand_ins(ids: Ids) -> None:
    if missing := ids.in_order():
        raise TrainyardError(
            f"nothing says what {missing[0].output} is: {missing[0].what}",
            where=missing[0].value,
            hint="an earlier stack should have given it; this is a defect of trainyard",
        )


class NodeCounts(NamedTuple):
    """The least, the desired and the most nodes."""

    least: int
    desired: int
    most: int


def desired_sizes(spec: Spec, config: Mapping[str, Any], existing_group: NodeGroupState) -> NodeCounts:
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
