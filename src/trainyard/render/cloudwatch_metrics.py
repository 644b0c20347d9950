"""Which groups of metrics a kind of nodes has for CloudWatch, and how many metrics they are on a node.

Each name with each value of its dimensions is a metric of its own, and is paid for.
https://aws.amazon.com/cloudwatch/pricing/
"""

from __future__ import annotations

from trainyard.bootstrap.steps import Role
from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.render.node_hardware import Hardware, hardware
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue

# Of a node, a GPU, a node or interface with EFA, a cluster. 50-cloudwatch.sh and trainyard_node/cloudwatch/ have
# their names.
SYSTEM = 11
# ParallelCluster has memory and disk of the head node among its own metrics.
SYSTEM_OF_HEAD = 5
OF_GPU = 6
OF_EFA = 6
OF_SLURM = 8


def groups_of(spec: Spec, role: Role, queue: Queue | None) -> tuple[str, ...]:
    """Return the groups that a kind of nodes can give, of those that the spec asks for."""
    wanted = spec.monitoring.cloudwatch_metrics if spec.monitoring.logs else ()
    given = {"system", *(("slurm",) if role == "head" else ()), *(() if queue is None else _of_queue(spec, queue))}
    return tuple(group for group in dict.fromkeys(wanted) if group in given)


def metrics_of(group: NodeGroup, wanted: str, spec: Spec) -> int:
    """Return how many metrics a node of a queue has at most in one group."""
    found = [one for name, one in hardware(spec, group.queue).items() if name in group.instance_types]
    return max((_count(one, wanted) for one in found), default=0)


def events_of(group: NodeGroup, wanted: str, spec: Spec) -> int:
    """Return how many log events a node of a queue writes a minute for a group: one for each set of dimensions."""
    return 0 if wanted == "system" else metrics_of(group, wanted, spec) // OF_EFA


def _count(found: Hardware, wanted: str) -> int:
    interfaces = found.efa_interfaces or 0
    counts = {
        "system": SYSTEM,
        "gpu": OF_GPU * (found.gpus or 0),
        "efa": OF_EFA if interfaces else 0,
        "efa-interfaces": OF_EFA * interfaces,
    }
    return counts.get(wanted, 0)


def _of_queue(spec: Spec, queue: Queue) -> set[str]:
    """Return what the nodes of a queue may have. What is not known of a type counts as there."""
    groups = tuple(spec.groups_in(queue))
    facts = [find(name) for group in groups for name in group.instance_types]
    gpu = {"gpu"} if any(one is None or one.gpu_count != 0 for one in facts) else set()
    efa = any(uses_efa(name, group.efa) for group in groups for name in group.instance_types)
    return gpu | ({"efa", "efa-interfaces"} if efa else set())
