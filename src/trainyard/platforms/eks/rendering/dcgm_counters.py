"""What the DCGM exporter reads on nodes with GPUs: the same counters as on nodes of ParallelCluster."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from trainyard.catalog.compute_capabilities import compute_capability
from trainyard.catalog.instances import find
from trainyard.platforms.eks.rendering.names import accelerator
from trainyard.spec.cluster import Spec

# From here on, profiling counters are there beside a profiler of a job: bootstrap/assets/steps/65-dcgm-exporter.sh
_PROFILING_FROM = 90


def dcgm_counters(spec: Spec) -> str | None:
    """Return the file of counters, None where no node has GPUs of NVIDIA.

    One file serves all nodes, so profiling counters are in it where the GPUs of all of them have such.
    """
    types = {name for one in spec.node_groups() if accelerator(one) == "nvidia" for name in one.instance_types}
    if not types:
        return None
    profiling = all(_profiles(name) for name in types)
    return _counters("dcgm-counters.csv") + (_counters("dcgm-profiling-counters.csv") if profiling else "")


def _profiles(instance_type: str) -> bool:
    facts = find(instance_type)
    model = None if facts is None or facts.accelerators is None else facts.accelerators.model
    capability = None if model is None else compute_capability(model)
    return capability is not None and int(capability) >= _PROFILING_FROM


@cache
def _counters(file: str) -> str:
    return (Path(__file__).parent / "manifests" / file).read_text(encoding="utf-8")
