"""How much metrics the agent in a cluster of EKS collects, as far as the catalog knows its instance types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trainyard.launch.instance import Instance
from trainyard.monitoring.node_series import agent_series, instance_series, total
from trainyard.monitoring.sizing import Sizing


class NodeSet(NamedTuple):
    """Nodes that are alike, at their least or their most."""

    instance: Instance
    number: int
    gpus: bool
    """Whether they have NVIDIA GPUs, and dcgm-exporter with them."""


def agent_sizing(nodes: Iterable[NodeSet]) -> Sizing:
    """Return what they amount to with the agent itself. Sidecars and pods of users are not counted."""
    listed = [node for node in nodes if node.number]
    series = [instance_series(nodes.instance, gpus=nodes.gpus) for nodes in listed]
    parts = [None if each is None else each * nodes.number for each, nodes in zip(series, listed, strict=True)]
    return Sizing(sum(nodes.number for nodes in listed), total([agent_series(), *parts]))
