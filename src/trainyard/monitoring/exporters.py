"""What there is to scrape on the nodes of a cluster: which exporter listens where.

Who has what is decided by `render/nodes.py` and `bootstrap/steps.py`, which this room cannot see all of: the same
conditions stand here once more, and a test compares the two for every architecture.
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.launch.launch import compute_launches
from trainyard.launch.setup import setup_of
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec


class Exporter(NamedTuple):
    """A program on nodes that Prometheus scrapes."""

    job: str
    port: int
    node_types: tuple[str, ...]
    """ParallelCluster's names of the kinds of nodes that it runs on; elsewhere, all that is scraped is Compute."""
    queues: tuple[str, ...] | None = None
    """The queues whose nodes run it; None for whatever node has one of the types."""


def exporters(spec: Spec) -> tuple[Exporter, ...]:
    """Return what runs on some node of the cluster, nothing where nothing is measured."""
    if spec.monitoring.mode == "none" or spec.is_environment:
        return ()
    head = ("HeadNode",) if platform_of(spec).has_head_node else ()
    login = ("LoginNode",) if any(True for _ in spec.login_pools()) else ()
    gpus = gpu_queues(spec)
    dcgm = (Exporter("dcgm-exporter", 9400, ("Compute",), gpus),) if gpus else ()
    return (
        Exporter("node-exporter", 9100, (*head, "Compute", *login)),
        *dcgm,
        Exporter("trainyard-node", 9341, (*head, "Compute")),
    )


def gpu_queues(spec: Spec) -> tuple[str, ...]:
    """Return the queues whose nodes are set up for NVIDIA GPUs: only there, dcgm-exporter is installed.

    On AWS Batch the exporters are in the image, and those of GPUs in the image of a queue that has any; on Amazon EKS
    they are pods on nodes that have any.
    """
    if not platform_of(spec).nodes_run_release:
        return tuple(launch.nodes.queue.name for launch in compute_launches(spec) if launch.instance.gpus)
    return tuple(queue.name for queue in spec.queues if setup_of(spec, queue) == "gpu")


def neuron_queues(spec: Spec) -> tuple[str, ...]:
    """Return the queues whose nodes have Neuron devices, which trainyard-node reads, whoever installs the driver."""
    launches = compute_launches(spec)
    return tuple(launch.nodes.queue.name for launch in launches if launch.instance.accelerator == "neuron")
