"""What writes metrics for CloudWatch."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "67-cloudwatch-metrics"
UNIT = "trainyard-node-cloudwatch.service"
DROP_IN = f"etc/systemd/system/{UNIT}.d/role.conf"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path, cloudwatch_metrics="system gpu efa")


def test_it_runs_and_starts_with_the_node(node: FakeNode):
    runs_well(node, STEP)
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


@pytest.mark.parametrize("role", ["compute-gpu", "head"])
def test_systemd_finds_nothing_wrong_with_the_unit(role: str, tmp_path: Path):
    node = FakeNode(tmp_path, cloudwatch_metrics="gpu slurm", role=role)
    runs_well(node, STEP)
    assert verify_unit(node, UNIT, "usr/local/bin/trainyard-node") == ""


def test_only_a_node_with_gpus_opens_devices(node: FakeNode, tmp_path: Path):
    runs_well(node, STEP)
    assert "PrivateDevices=no" in node.read(DROP_IN).splitlines()
    head = FakeNode(tmp_path / "head", cloudwatch_metrics="slurm", role="head")
    runs_well(head, STEP)
    assert not head.has(DROP_IN)
    unit = set(head.read(f"etc/systemd/system/{UNIT}").splitlines())
    assert {"DynamicUser=yes", "CapabilityBoundingSet=", "PrivateDevices=yes"} <= unit


def test_it_writes_where_the_agent_reads(node: FakeNode):
    runs_well(node, STEP)
    assert "LogsDirectory=trainyard-cloudwatch" in node.read(f"etc/systemd/system/{UNIT}").splitlines()


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_one_that_does_not_start_is_told_and_tried_again(node: FakeNode):
    node.unit(UNIT, broken=True)
    assert f"cannot restart {UNIT}" in complaint(node.run(STEP), 1)
    node.unit(UNIT)
    runs_well(node, STEP)
    assert node.is_active(UNIT)
