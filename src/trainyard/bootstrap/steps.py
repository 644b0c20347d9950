"""The steps by which a node comes up, in their order: which nodes they concern, and how they are run.

What each of them does, and what its exit status means, stands in docs/bootstrap.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

Role = Literal["head", "login", "compute-gpu", "compute-cpu", "compute-neuron", "compute-none", "monitoring"]

ASSETS = Path(__file__).parent / "assets"
HEAD: tuple[Role, ...] = ("head",)
GPU: tuple[Role, ...] = ("compute-gpu",)
NEURON: tuple[Role, ...] = ("compute-neuron",)
SET_UP: tuple[Role, ...] = ("compute-gpu", "compute-cpu", "compute-neuron")
COMPUTE: tuple[Role, ...] = (*SET_UP, "compute-none")
MEASURED: tuple[Role, ...] = ("head", *COMPUTE)
EVERY: tuple[Role, ...] = ("head", "login", *COMPUTE)
MONITORING: tuple[Role, ...] = ("monitoring",)


class BootstrapStep(NamedTuple):
    """One script, and how the runner on the node treats it."""

    number: int
    """Its place in the order."""
    name: str
    """What it is called everywhere."""
    roles: tuple[Role, ...]
    """The nodes that it concerns, where the spec asks for it at all."""
    timeout_s: int
    """After this it is ended, and has failed."""
    required: bool = True
    """Whether a node without it is of no use."""
    network: bool = False
    """Whether it fetches anything, so that trying again can help."""
    deferred: bool = False
    """Whether it runs after Slurm has started, with jobs kept waiting until it is done."""
    baked: bool = False
    """Whether an image can hold what it installs."""

    @property
    def script(self) -> str:
        """Where it lies in a release."""
        return f"steps/{self.number}-{self.name}.sh"


STEPS: tuple[BootstrapStep, ...] = (
    BootstrapStep(10, "packages", EVERY, timeout_s=300, baked=True),
    BootstrapStep(15, "imds", ("login", *COMPUTE), timeout_s=60),
    BootstrapStep(20, "efa", SET_UP, timeout_s=900, network=True, baked=True),
    BootstrapStep(25, "neuron", NEURON, timeout_s=600, network=True, baked=True),
    BootstrapStep(30, "docker", COMPUTE, timeout_s=300, network=True, baked=True),
    BootstrapStep(31, "nvidia-toolkit", GPU, timeout_s=300, network=True, baked=True),
    BootstrapStep(35, "enroot-pyxis", EVERY, timeout_s=120),
    BootstrapStep(40, "fabric", GPU, timeout_s=300),
    BootstrapStep(45, "shared-layout", EVERY, timeout_s=60),
    BootstrapStep(50, "cloudwatch", EVERY, timeout_s=120, required=False),
    BootstrapStep(55, "node-package", (*EVERY, *MONITORING), timeout_s=60),
    BootstrapStep(60, "node-exporter", EVERY, timeout_s=120, required=False, network=True, deferred=True, baked=True),
    BootstrapStep(62, "data-volume", MONITORING, timeout_s=1800, network=True),
    BootstrapStep(65, "dcgm-exporter", GPU, timeout_s=180, required=False, network=True, deferred=True, baked=True),
    BootstrapStep(66, "node-metrics", MEASURED, timeout_s=60, required=False, deferred=True),
    BootstrapStep(67, "cloudwatch-metrics", MEASURED, timeout_s=60, required=False, deferred=True),
    # Not baked: an image is shared with other nodes, which are not to collect anything.
    BootstrapStep(68, "prometheus", HEAD, timeout_s=300, required=False, network=True, deferred=True),
    BootstrapStep(69, "keeper", MONITORING, timeout_s=300, network=True),
    BootstrapStep(70, "nccl", GPU, timeout_s=180, required=False),
    BootstrapStep(71, "alertmanager", MONITORING, timeout_s=240, network=True),
    BootstrapStep(72, "grafana", MONITORING, timeout_s=900, network=True),
    BootstrapStep(73, "alert-receivers", MONITORING, timeout_s=300, network=True),
    BootstrapStep(75, "job-gate", HEAD, timeout_s=30),
    BootstrapStep(76, "imex", HEAD, timeout_s=30),
    BootstrapStep(77, "block-end", HEAD, timeout_s=30),
    BootstrapStep(80, "images", HEAD, timeout_s=3600, required=False, network=True, deferred=True),
)
