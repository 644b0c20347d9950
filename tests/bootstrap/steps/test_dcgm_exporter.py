"""NVIDIA's DCGM exporter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import answers, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "65-dcgm-exporter"
PACKAGE = "datacenter-gpu-manager-exporter"
UNIT = "nvidia-dcgm-exporter.service"
DROP_IN = f"etc/systemd/system/{UNIT}.d/trainyard.conf"
COUNTERS = "etc/trainyard/dcgm-counters.csv"
# The package's own unit, without its comments.
# https://github.com/NVIDIA/dcgm-exporter/blob/main/packaging/config-files/systemd/nvidia-dcgm-exporter.service
PACKAGED = """\
[Unit]
Description=NVIDIA DCGM-exporter service
Wants=nvidia-dcgm.service
After=nvidia-dcgm.service

[Service]
User=root
PrivateTmp=false
ExecStart=/usr/bin/dcgm-exporter -f /etc/dcgm-exporter/default-counters.csv
Restart=on-abort

[Install]
WantedBy=multi-user.target
"""


@pytest.fixture(params=["ubuntu2204", "alinux2023"])
def node(tmp_path: Path, request: pytest.FixtureRequest) -> FakeNode:
    node = FakeNode(tmp_path, request.param, monitoring="amp-only", gpus="8")
    node.write("dev/nvidiactl")
    answers(node, "ldconfig", "echo '  libdcgm.so.4 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libdcgm.so.4'")
    node.package_file("dcgm-exporter", PACKAGE, "4.8.2-1")
    node.unit(UNIT)
    node.write(f"usr/lib/systemd/system/{UNIT}", PACKAGED)
    return node


def test_it_is_installed_and_runs(node: FakeNode):
    runs_well(node, STEP)
    assert node.packages()[PACKAGE] == "4.8.2-1"
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_it_uses_our_counters_and_the_host_engine_that_runs(node: FakeNode):
    runs_well(node, STEP)
    starts = [line for line in node.read(DROP_IN).splitlines() if line.startswith("ExecStart=")]
    assert starts[0] == "ExecStart="
    assert "--collectors /etc/trainyard/dcgm-counters.csv" in starts[1]
    assert "--address :9400" in starts[1]
    assert "--remote-hostengine-info localhost:5555" in starts[1]


@pytest.mark.parametrize("said", ["echo 8.0; echo 8.0", "exit 9", "echo '[N/A]'", "true"])
def test_jobs_find_the_profiling_counters_free(node: FakeNode, said: str):
    answers(node, "nvidia-smi", said)
    runs_well(node, STEP)
    names = [field[0] for field in listed(node)]
    assert all(re.fullmatch(r"DCGM_FI_DEV_[A-Z_]+", name) for name in names)
    assert len(names) == 24


@pytest.mark.parametrize("capability", ["9.0", "10.0", "12.1"])
def test_gpus_that_share_them_with_a_profiler_tell_which_parts_of_them_work(node: FakeNode, capability: str):
    answers(node, "nvidia-smi", f"echo {capability}; echo {capability}")
    runs_well(node, STEP)
    assert ["DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge"] in [field[:2] for field in listed(node)]
    assert len(listed(node)) == 29


def test_each_counter_is_named_once_with_its_type_and_its_meaning(node: FakeNode):
    answers(node, "nvidia-smi", "echo 9.0")
    runs_well(node, STEP)
    fields = listed(node)
    assert all(field[1] in {"gauge", "counter"} and len(field) == 3 for field in fields)
    assert len({field[0] for field in fields}) == len(fields)
    assert ["DCGM_FI_DEV_XID_ERRORS", "gauge"] in [field[:2] for field in fields]


def listed(node: FakeNode) -> list[list[str]]:
    return [line.split(", ") for line in node.read(COUNTERS).splitlines()]


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT, "usr/bin/dcgm-exporter") == ""


def test_other_counters_start_it_again(node: FakeNode):
    runs_well(node, STEP)
    node.write(COUNTERS, "DCGM_FI_DEV_GPU_TEMP, gauge, x\n")
    node.forget_calls()
    runs_well(node, STEP)
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_without_a_gpu_nothing_is_installed(node: FakeNode):
    (node.root / "dev/nvidiactl").unlink()
    assert "no NVIDIA GPU, or its driver is not loaded" in complaint(node.run(STEP), 66)
    assert node.actions() == []


def test_without_dcgm_4_nothing_is_installed(node: FakeNode):
    answers(node, "ldconfig", "echo '  libdcgm.so.3 (libc6,x86-64) => /usr/lib/libdcgm.so.3'")
    assert "DCGM 4 is missing" in complaint(node.run(STEP), 66)
    assert node.actions() == []


def test_what_is_wrong_with_the_asset_is_passed_on(node: FakeNode):
    node.asset_fails("dcgm-exporter", 65, "dcgm-exporter is damaged")
    ran = node.run(STEP)
    assert (ran.returncode, ran.stderr.strip()) == (65, "dcgm-exporter is damaged")
    node.asset_arrives("dcgm-exporter")
    runs_well(node, STEP)
    assert node.is_active(UNIT)


def test_a_lock_that_another_program_holds_is_waited_for(node: FakeNode):
    with node.package_lock_held():
        assert "still installs packages" in complaint(node.run(STEP), 75)
    runs_well(node, STEP)
    assert node.packages()[PACKAGE] == "4.8.2-1"


def test_a_full_disk_is_told(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    runs_well(node, STEP)
