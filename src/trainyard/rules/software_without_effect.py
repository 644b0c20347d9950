"""Software that another key leaves without any effect."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.rules.efa_older_than_image import queues_installing_efa
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield keys of what nodes run that no node has a use for."""
    if spec.is_environment:
        return
    software = spec.software
    setups = {setup_of(spec, queue) for queue in spec.queues}
    if software.efa_version is not None and setups == {"none"}:
        yield Problem(("software", "efa_version"), "no queue has a setup, so no node installs EFA", _SET_UP)
    elif software.efa_version is not None and not any(queues_installing_efa(spec)):
        problem = f"EFA installer {software.efa_version}, and no nodes with a setup get EFA"
        yield Problem(
            ("software", "efa_version"), problem, "write efa: true for a queue with a setup, or remove the key"
        )
    if software.nccl is not None and "gpu" not in setups:
        yield Problem(("software", "nccl"), "no queue has the setup gpu, so no node uses NCCL", _SET_UP)
    if software.container_images and not software.containers:
        yield Problem(("software", "container_images"), "images without containers", "write containers: true")
    if software.setup != "none" and not spec.installs_anything:
        yield Problem(("software", "setup"), "every queue has the setup none, so no node installs anything", _SET_UP)
    yield from _unmeasured(spec)
    yield from _nccl_told(spec, setups)
    if software.on_failure == "hold" and not spec.installs_anything:
        yield Problem(("software", "on_failure"), "nodes install nothing, so nothing can fail", _SET_UP)


def _unmeasured(spec: Spec) -> Iterator[Problem]:
    """Yield keys about metrics where nothing is measured."""
    if spec.monitoring.mode != "none":
        return
    without_effect = {
        "slurm_names": (spec.monitoring.slurm_names != "vpenso", "nothing exports Slurm's metrics"),
        "all_host_metrics": (spec.monitoring.all_host_metrics, "nothing keeps metrics of nodes"),
        "budget_usd_month": (spec.monitoring.budget_usd_month is not None, "nothing counts what instances cost"),
    }
    for key, (is_written, problem) in without_effect.items():
        if is_written:
            message = f"{problem} with monitoring mode none"
            yield Problem(("monitoring", key), message, "choose another mode, or remove the key")


def _nccl_told(spec: Spec, setups: Collection[str]) -> Iterator[Problem]:
    """Yield why NCCL is asked or measured and nothing can be told."""
    for key, since in _TOLD_SINCE.items():
        if not getattr(spec.monitoring, key):
            continue
        where, nccl = ("monitoring", key), spec.software.nccl
        if spec.monitoring.mode == "none":
            yield Problem(where, "nothing keeps what NCCL says with monitoring mode none", "choose another mode")
        elif "gpu" not in setups:
            yield Problem(where, "no queue has the setup gpu, so no node asks NCCL", _SET_UP)
        elif nccl is not None and _parts(nccl.version) < _parts(since):
            problem = f"NCCL {nccl.version} cannot do it; {since} is the first that can"
            yield Problem(where, problem, f"take software.nccl.version {since} or newer, or remove the key")
        elif nccl is None and key == "nccl_inspector":
            problem = "the plugin comes with the NCCL of software.nccl, and there is none"
            yield Problem(where, problem, f"write software.nccl with version {since} or newer, or remove the key")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"[0-9]+", version)))[:3]


# JSON of RAS: https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html#json-output
# The inspector's mode for Prometheus: by the tags of https://github.com/NVIDIA/nccl, read 2026-11-27.
_TOLD_SINCE = {"nccl_ras": "2.28.7-1", "nccl_inspector": "2.29.7-1"}
_SET_UP = "give the queues a setup, or remove the key"

RULE = Rule(
    severity="error",
    title="Software without effect",
    rationale=(
        "A version of what no node installs, or images for nodes that run no containers, would be ignored, and the "
        "cluster would not be what the spec says."
    ),
    remedy="remove the key",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    bad="""\
software: {containers: false, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    good="""\
software: {containers: true, container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
