"""Which groups of metrics a kind of nodes has for CloudWatch, and how many metrics they are on a node.

Each name with each value of its dimensions is a metric of its own, and is paid for.
https://aws.amazon.com/cloudwatch/pricing/
"""

from __future__ import annotations

from trainyard.bootstrap.steps import Role
from trainyard.launch.instance import Hardware
from trainyard.launch.launch import compute_launches, queue_hardware
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
    groups_asked = spec.monitoring.cloudwatch_metrics if spec.monitoring.logs else ()
    available = {"system", *(("slurm",) if role == "head" else ()), *(() if queue is None else _of_queue(spec, queue))}
    return tuple(group for group in dict.fromkeys(groups_asked) if group in available)


def metrics_of(group: NodeGroup, metric_group: str, spec: Spec) -> int:
    """Return how many metrics a node of a queue has at most in one group."""
    by_type = queue_hardware(spec, group.queue)
    return max((_count(by_type[name], metric_group) for name in group.instance_types), default=0)


def events_of(group: NodeGroup, metric_group: str, spec: Spec) -> int:
    """Return how many log events a node of a queue writes a minute for a group: one for each set of dimensions."""
    return 0 if metric_group == "system" else metrics_of(group, metric_group, spec) // OF_EFA


def _count(hardware: Hardware, metric_group: str) -> int:
    interfaces = hardware.efa_interfaces or 0
    counts = {
        "system": SYSTEM,
        "gpu": OF_GPU * (hardware.gpus or 0),
        "efa": OF_EFA if interfaces else 0,
        "efa-interfaces": OF_EFA * interfaces,
    }
    return counts.get(metric_group, 0)


def _of_queue(spec: Spec, queue: Queue) -> set[str]:
    """Return what the nodes of a queue may have. What is not known of a type counts as there."""
    instances = [instance for launch in compute_launches(spec, queue) for instance in launch.instances]
    gpu = {"gpu"} if any(instance.gpus != 0 for instance in instances) else set()
    return gpu | ({"efa", "efa-interfaces"} if any(instance.efa for instance in instances) else set())
