"""The nodes of a spec that bandwidth is measured on: those with GPUs, and what bounds a test on them."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from trainyard.catalog.instance_type import InstanceType
from trainyard.launch.launch import Launch, compute_launches
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_GIB = 2**30
# nccl-tests holds what is sent, what is received and what is expected, keeps 1 GiB for the rest, and cuts the largest
# size to that: https://github.com/NVIDIA/nccl-tests/blob/master/src/common.cu (memMaxBytes)
_BUFFERS = 3
_LARGEST_WHERE_UNKNOWN = _GIB
# On the low side, as they only say how long a test may take: a GPU without NVLink has PCIe, a node without EFA has ENA.
_PCIE_GB_S = 8.0
_SLOWEST_NETWORK_GB_S = 1.0
# Hopper: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-nvls-enable
_NVLS_FROM = 90
# From this on, a hundred iterations of the largest size take minutes: AWS runs as many on p5.
# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests
_FAST_GB_S = 25.0


class GpuNodes(NamedTuple):
    """Nodes of one kind in one queue."""

    group: NodeGroup
    feature: str | None
    """How Slurm tells them from others of the queue; None where there are no others.

    https://github.com/aws/aws-parallelcluster-cookbook: each node has its compute resource's name as a feature
    """
    facts: InstanceType
    most: int
    """How many take part in a test at most."""
    nvls: bool
    """Whether their NVSwitches reduce."""

    @property
    def prefix(self) -> str:
        """What the ids of their jobs begin with."""
        return self.group.queue.name if self.feature is None else f"{self.group.queue.name}_{self.feature}"

    @property
    def gpus(self) -> int:
        """GPUs of a node."""
        return self.facts.gpu_count or 0

    @property
    def largest_bytes(self) -> int:
        """The largest power of two that a test on their GPUs can have."""
        memory_mib = self.facts.accelerator_memory_mib
        if memory_mib is None:
            return _LARGEST_WHERE_UNKNOWN
        fits = (memory_mib * 2**20 - _GIB) // _BUFFERS
        return 1 << (fits.bit_length() - 1)

    def link_gb_s(self, nodes: int) -> float:
        """Return about what one GPU can send, each way."""
        if nodes == 1:
            return (self.facts.nvlink_gb_s_bidirectional or 2 * _PCIE_GB_S) / 2
        return (self.facts.efa_gbit_s or 8 * _SLOWEST_NETWORK_GB_S) / 8 / self.gpus

    def iterations(self, nodes: int) -> int:
        """Return how often each size is measured, unless a test names it: as often as takes minutes and not hours."""
        return 100 if self.link_gb_s(nodes) >= _FAST_GB_S else 20

    def time_limit_min(self, nodes: int, end_bytes: int, iterations: int, programs: int) -> int:
        """Return the time in which nodes at a quarter of their speed are done, with ten minutes to begin.

        All sizes together are twice the last, and each is measured out of place and in place.
        """
        seconds = 4 * programs * end_bytes * iterations / (self.link_gb_s(nodes) / 4 * 1e9)
        return 10 + 5 * ceil(seconds / 300)


def gpu_nodes(spec: Spec) -> tuple[GpuNodes, ...]:
    """Return the nodes whose GPUs have others to talk to."""
    return tuple(_gpu_nodes(spec, launch) for launch in compute_launches(spec) if _why_not(spec, launch) is None)


def queues_without_test(spec: Spec) -> Iterator[str]:
    """Yield the nodes on which nothing is measured, with the reason."""
    for launch in compute_launches(spec):
        if (reason := _why_not(spec, launch)) is not None:
            yield f"queue {launch.queue_name}: {reason}"


def _most(spec: Spec, launch: Launch) -> int:
    """Return how many nodes there can be without anybody's help: as many as at first where jobs start none."""
    return launch.max_nodes if platform_of(spec).starts_nodes_for_jobs else launch.first_nodes or launch.max_nodes


def _why_not(spec: Spec, launch: Launch) -> str | None:
    name, facts = launch.instance.name, launch.instance.facts
    if facts is None or facts.gpu_count is None:
        return f"nothing is known of the GPUs of {name}"
    if facts.neuron_count:
        return f"{name} has Trainium, which Neuron's nccom-test measures and not nccl-tests"
    if not facts.gpu_count:
        return f"{name} has no GPU"
    if facts.gpu_count == _most(spec, launch) == 1:
        return f"one {name} has one GPU, which has no other to talk to"
    return None


def _gpu_nodes(spec: Spec, launch: Launch) -> GpuNodes:
    instance, group = launch.instance, launch.nodes
    assert instance.facts is not None  # noqa: S101  asked by the only caller
    alone = len(compute_launches(spec, group.queue)) == 1
    nvls = instance.fabric != "none" and (instance.gpu_compute_capability or 0) >= _NVLS_FROM
    return GpuNodes(group, None if alone else group.name, instance.facts, _most(spec, launch), nvls)
