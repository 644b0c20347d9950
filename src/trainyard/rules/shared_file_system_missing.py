"""Software for all nodes without the file system that is to hold it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield NCCL below a mount that does not exist, and container images without a shared file system."""
    if spec.is_environment:
        return
    mounts = [file_system.mount for file_system in spec.file_systems]
    nccl = spec.software.nccl
    if nccl is not None and nccl.mount not in mounts:
        choices = f"one of {', '.join(mounts)}" if mounts else "a file system in file_systems"
        yield Problem(("software", "nccl", "mount"), f"nothing is mounted at {nccl.mount}", f"name {choices}")
    lustre = any(file_system.kind == "lustre" for file_system in spec.file_systems)
    if spec.software.container_images and nccl is None and not lustre:
        message = "images are imported to an FSx for Lustre file system, and there is none"
        yield Problem(("software", "container_images"), message, "add one to file_systems")


RULE = Rule(
    severity="error",
    title="Missing file system for shared software",
    rationale=(
        "NCCL and imported images are kept once, on a file system that every node mounts. On the root volume of the "
        "head node, as copied scripts do it, no other node sees them."
    ),
    remedy="name the mount of a shared file system",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""\
software: {setup: gpu, nccl: {version: 2.28.9-1, mount: /opt}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    good="""\
software: {setup: gpu, nccl: {version: 2.28.9-1, mount: /fsx}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
