"""What a pod of a job gets of its Kubernetes node: all of it, as only one such pod fits on a node."""

from __future__ import annotations

from typing import Any, NamedTuple

GPUS, NEURON_CHIPS, EFA_INTERFACES = "nvidia.com/gpu", "aws.amazon.com/neuron", "vpc.amazonaws.com/efa"
HUGE_PAGES = "hugepages-2Mi"
SHARED_MEMORY = "/dev/shm"  # noqa: S108  where the system has it, not a file of ours
# The node sets 5128 pages aside where it has EFA, and AWS's own job takes this much of them.
# https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html
_HUGE_PAGES_MIB, HUGE_PAGES_SET_ASIDE_MIB = 5120, 5128 * 2
# The kubelet, the system, what runs on every node and an MPIJob's launcher need the rest, which is more than a share of
# a small node.
# https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html
OF_NODE_FOR_JOBS = 0.9
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
        share = _OF_MEMORY_TO_SHARE / OF_NODE_FOR_JOBS
        limit = {} if self.memory_mib is None else {"sizeLimit": f"{int(self.memory_mib * share)}Mi"}
        return {"name": "shm", "emptyDir": {"medium": "Memory", **limit}}
