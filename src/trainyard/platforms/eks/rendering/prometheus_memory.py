"""How much memory the Prometheus agent of a cluster gets: what its series need with every queue at its most nodes."""

from __future__ import annotations

from math import ceil

from trainyard.monitoring.agent_sizing import Nodes, agent_sizing
from trainyard.platforms.eks.rendering.names import accelerator
from trainyard.spec.cluster import Spec

# Measured to need half of what a server would: src/trainyard/monitoring/sizing.py
_OF_A_SERVER = 0.5
_LEAST_MIB, _WHERE_UNKNOWN_MIB = 512, 2048
_CPU = "200m"


def agent_resources(spec: Spec) -> dict[str, dict[str, str]]:
    """Return requests and limits. What is beyond the limit ends the agent, so that is twice of what it needs."""
    needed = _needed_mib(spec)
    return {"requests": {"cpu": _CPU, "memory": f"{needed}Mi"}, "limits": {"memory": f"{2 * needed}Mi"}}


def _needed_mib(spec: Spec) -> int:
    nodes = [
        Nodes(group.instance_type, group.max_nodes, accelerator(group) == "nvidia", group.efa)
        for group in spec.node_groups()
    ]
    memory = agent_sizing(nodes, "eks").server_memory_mib
    return _WHERE_UNKNOWN_MIB if memory is None else max(ceil(memory * _OF_A_SERVER / 256) * 256, _LEAST_MIB)
