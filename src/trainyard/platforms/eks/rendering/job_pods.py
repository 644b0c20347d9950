"""What a pod of a job gets of its node: all of it, as only one such pod fits on a node."""

from __future__ import annotations

from typing import Any, NamedTuple

from trainyard.catalog.efa import uses_efa
from trainyard.catalog.instances import find
from trainyard.catalog.interfaces import interface_plan
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.rendering.names import QUEUE, TAINT_KEYS, accelerator
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
GPUS, NEURON_CHIPS, EFA_INTERFACES = "nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"
HUGE_PAGES = "hugepages-2Mi"
SHARED_MEMORY = "/dev/shm"  # noqa: S108  where the system has it, not a file of ours
# The node sets 5128 pages aside where it has EFA, and AWS's own job takes this much of them.
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
_HUGE_PAGES_MIB, _SET_ASIDE_MIB = 5120, 5128 * 2
# The kubelet, the system, what runs on every node and an MPIJob's launcher need the rest, which is more than a share of
# a small node.
# https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
_OF_NODE_FOR_JOBS = 0.9
_LEFT_MIB = 2048
# Of all memory. It is only taken as it fills, and counts as memory of the pod.
_OF_MEMORY_TO_SHARE = 0.1


class JobPod(NamedTuple):
    """A pod that has a node for itself."""

    node_selector: dict[str, str]
    tolerations: list[dict[str, str]]
    devices: dict[str, int]
    """Accelerators and EFA interfaces."""
    memory_mib: int | None
    """None where the catalog does not know the node's."""
    cpus: int | None

    @property
    def resources(self) -> dict[str, Any]:
        """Return requests and limits. Processors have no limit: the pod would be stopped in between for nothing."""
        memory = {} if self.memory_mib is None else {"memory": f"{self.memory_mib}Mi"}
        pages = {HUGE_PAGES: f"{_HUGE_PAGES_MIB}Mi"} if EFA_INTERFACES in self.devices else {}
        limits = {**self.devices, **pages, **memory}
        return {"requests": {**limits, **({} if self.cpus is None else {"cpu": self.cpus})}, "limits": limits}

    @property
    def shared_memory(self) -> dict[str, Any]:
        """Return the volume of /dev/shm, of which a pod otherwise has 64 MiB.

        https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html#shared-memory
        """
        share = _OF_MEMORY_TO_SHARE / _OF_NODE_FOR_JOBS
        limit = {} if self.memory_mib is None else {"sizeLimit": f"{int(self.memory_mib * share)}Mi"}
        return {"name": "shm", "emptyDir": {"medium": "Memory", **limit}}


def job_pod(group: NodeGroup) -> JobPod:
    """Return the pod for nodes of a group."""
    facts = find(group.instance_type)
    kind, efa = accelerator(group), efa_interfaces(group, group.instance_type)
    memory = None if facts is None else facts.memory_mib
    vcpus = None if facts is None else facts.vcpus
    chips = facts.accelerators.count if facts is not None and facts.accelerators is not None else 0
    return JobPod(
        {QUEUE: group.queue.name, INSTANCE_TYPE: group.instance_type},
        [
            {"key": key, "operator": "Exists", "effect": "NoSchedule"}
            for name, key in TAINT_KEYS.items()
            if name == kind
        ],
        {
            **({} if kind is None else {{"nvidia": GPUS, "neuron": NEURON_CHIPS}[kind]: chips}),
            **({EFA_INTERFACES: efa} if efa else {}),
        },
        None if memory is None else int((memory - (_SET_ASIDE_MIB if efa else 0)) * _OF_NODE_FOR_JOBS) - _LEFT_MIB,
        None if vcpus is None else max(int(vcpus * _OF_NODE_FOR_JOBS), 1),
    )


def efa_interfaces(group: NodeGroup, instance_type: str) -> int | None:
    """Return how many EFA interfaces nodes of a type have in a group, None where its cards are unknown."""
    if not uses_efa(instance_type, group.efa):
        return 0
    facts = find(instance_type)
    try:
        return None if facts is None else interface_plan(facts, "eks", efa=True).efa_count
    except TrainyardError:
        return None


def group_of(spec: Spec, queue: str, instance_type: str) -> NodeGroup:
    """Return the nodes of a queue that have an instance type."""
    groups = (one for one in spec.node_groups() if one.queue.name == queue)
    return next(one for one in groups if instance_type in one.instance_types)
