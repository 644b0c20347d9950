"""Versions are taken from what programs state, and judged only where it is clear which of them meet."""

from __future__ import annotations

import re

import pytest

from trainyard.catalog.version_conflicts import components, version_conflicts
from trainyard.diagnose.scanning.pieces import Piece
from trainyard.diagnose.stated_versions import StatedVersions, _patterns

OLD_EFA = "EFA installer version: 1.22.1\n"
NCCL = "NCCL version 2.20.5+cuda12.4\n"


def stated(**logs: str) -> StatedVersions:
    versions = StatedVersions()
    for name, text in logs.items():
        versions.take(name, Piece(text.encode()))
    return versions


@pytest.mark.parametrize(("line", "component", "version"), [
    ("p5-st-1:71:71 [0] NCCL INFO NET/OFI Initializing aws-ofi-nccl 1.13.2-aws", "aws-ofi-nccl", "1.13.2"),
    ("p5-st-1:71:71 [0] NCCL INFO NET/OFI Using Libfabric version 1.22", "libfabric", "1.22"),
    ("| NVIDIA-SMI 550.127.05             Driver Version: 550.127.05     CUDA Version: 12.4     |", "nvidia-driver",
     "550.127.05"),
    ("kernel: NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.133.20  Release Build  (dvs-builder@U22)",
     "nvidia-driver", "570.133.20"),
    ("\x1b[1mNCCL\x1b[0m version 2.27.3+cuda12.9", "nccl", "2.27.3"),
    ("> NCCL version 2.27.3+cuda12.9", "nccl", "2.27.3"),
    ("[2026-05-07T10:00:00.100] slurmd version 24.05.8 started", "slurm", "24.05.8"),
])  # fmt: skip
def test_a_program_states_its_version(line: str, component: str, version: str):
    assert [(one.component, one.version, one.line) for one in stated(a=f"first\n{line}\n").versions()] == [
        (component, version, 2)
    ]


def test_versions_of_one_log_that_must_not_meet_are_a_conflict():
    (conflict,) = stated(a=OLD_EFA + NCCL, b=OLD_EFA + NCCL).conflicts()
    assert (conflict.file, conflict.incompatibility.case) == ("a", "nccl-2.19-with-old-efa")


def test_versions_of_two_logs_may_never_meet():
    versions = stated(a=OLD_EFA, b=NCCL)
    assert [one.component for one in versions.versions()] == ["nccl", "efa-installer"]
    assert versions.conflicts() == ()


def test_nothing_is_judged_where_ranks_of_a_log_state_two_versions():
    assert stated(a=OLD_EFA + NCCL + "NCCL version 2.18.5+cuda12.2\n").conflicts() == ()


def test_a_log_without_end_of_versions_fills_no_memory():
    logs = {f"log{n}": "".join(f"NCCL version 2.{n}.{m}\n" for m in range(90)) for n in range(3)}
    assert len(stated(**logs).versions()) == 100


def test_every_component_is_one_that_versions_are_known_of():
    assert {component for component, _ in _patterns()} <= {*components()}


@pytest.mark.parametrize("digits", [7, 500, 100_000])
def test_what_has_too_many_digits_is_no_version(digits: int):
    versions = stated(a=f"NCCL version {'9' * digits}.1.1\nNET/OFI Using Libfabric version 1.22\n")
    assert [one.component for one in versions.versions()] == ["libfabric"]
    assert versions.conflicts() == ()


def test_remedies_name_no_key_of_a_spec_as_logs_may_be_of_any_cluster():
    remedies = [conflict.remedy for conflict in version_conflicts().values()]
    assert [
        remedy for remedy in remedies if re.search(r"\bthe key\b|\bspec\b|\b[a-z]+\.[a-z_]+_|\bwrite\b", remedy)
    ] == []
