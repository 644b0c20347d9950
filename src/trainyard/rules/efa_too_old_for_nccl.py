"""A version of the EFA installer with which this NCCL cannot register memory."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_NCCL = (2, 19)
_EFA = (1, 29)


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an EFA installer before 1.29 beside NCCL from 2.19 on."""
    nccl, efa = spec.software.nccl, spec.software.efa_version
    if nccl is None or efa is None:
        return
    if _line(nccl.version) >= _NCCL and _line(efa) < _EFA:
        yield Problem(("software", "efa_version"), f"EFA installer {efa} beside NCCL {nccl.version}")


def _line(version: str) -> tuple[int, int]:
    major, minor = version.partition("-")[0].split(".")[:2]
    return int(major), int(minor)


RULE = Rule(
    severity="error",
    title="EFA installer too old for NCCL",
    rationale=(
        "NCCL from 2.19 on and the libfabric of EFA installers before 1.29 do not go together: every job ends with "
        "“Unable to register memory”, RC -22."
    ),
    remedy="remove the key and keep what the image has, or write a version that is newer than that",
    source="https://github.com/aws/aws-ofi-nccl/issues/584",
    bad="""\
software: {setup: gpu, efa_version: 1.28.0, nccl: {version: 2.28.7-1}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    good="""\
software: {setup: gpu, efa_version: 1.51.0, nccl: {version: 2.28.7-1}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
