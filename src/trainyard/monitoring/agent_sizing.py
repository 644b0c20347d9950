"""How much metrics the nodes of EKS and AWS Batch make, as far as the catalog knows their instance types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trainyard.catalog.interfaces import Launcher
from trainyard.monitoring.node_series import agent_series, instance_series, total
from trainyard.monitoring.sizing import Sizing


class Nodes(NamedTuple):
    """Nodes that are alike: a node group of EKS, or a compute environment of Batch at its least or its most."""

    instance_type: str
    number: int
    gpus: bool
    """Whether they have NVIDIA GPUs, and dcgm-exporter with them."""
    efa: bool | None = None
    """By default wherever the type has it."""


def agent_sizing(nodes: Iterable[Nodes], launcher: Launcher) -> Sizing:
    """Return what they amount to with the agent itself. Sidecars and pods of users are not counted."""
    listed = [one for one in nodes if one.number]
    series = [instance_series(one.instance_type, gpus=one.gpus, efa=one.efa, launcher=launcher) for one in listed]
    parts = [None if each is None else each * one.number for each, one in zip(series, listed, strict=True)]
    return Sizing(sum(one.number for one in listed), total([agent_series(), *parts]))
