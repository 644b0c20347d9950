"""What exports trainyard-node's own metrics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "66-node-metrics"
UNIT = "trainyard-node-metrics.service"
DROP_IN = f"etc/systemd/system/{UNIT}.d/role.conf"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path / "node", monitoring="amp-only")


@pytest.fixture
def head(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path / "head", monitoring="amp-only", role="head")


def test_it_runs_and_starts_with_the_node(node: FakeNode):
    runs_well(node, STEP)
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT, "usr/local/bin/trainyard-node") == ""


def test_only_a_compute_node_may_read_the_kernel_log(node: FakeNode, head: FakeNode):
    runs_well(node, STEP)
    assert {"AmbientCapabilities=CAP_SYSLOG", "PrivateDevices=no"} <= set(node.read(DROP_IN).splitlines())
    runs_well(head, STEP)
    unit = set(head.read(f"etc/systemd/system/{UNIT}").splitlines())
    assert {"DynamicUser=yes", "CapabilityBoundingSet=", "NoNewPrivileges=yes", "ProtectSystem=strict"} <= unit
    assert not head.has(DROP_IN)


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_a_new_release_starts_it_again(node: FakeNode):
    runs_well(node, STEP)
    node.forget_calls()
    node.settings["release"] = str(node.release) + "-new"
    runs_well(node, STEP)
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_one_that_does_not_start_is_told_and_tried_again(node: FakeNode):
    node.unit(UNIT, broken=True)
    assert f"cannot restart {UNIT}" in complaint(node.run(STEP), 1)
    node.unit(UNIT)
    runs_well(node, STEP)
    assert node.is_active(UNIT)


INSPECTOR = "var/lib/trainyard/nccl-inspector"


def test_the_folder_of_the_inspector_is_there_where_the_spec_asks_for_it_and_goes_with_that(node: FakeNode):
    runs_well(node, STEP)
    assert not node.has(INSPECTOR)
    node.settings["nccl_inspector"] = "1"
    runs_well(node, STEP)
    assert (node.root / INSPECTOR).stat().st_mode & 0o7777 == 0o1777
    assert node.read("etc/tmpfiles.d/trainyard-nccl-inspector.conf").startswith(
        "d /var/lib/trainyard/nccl-inspector 1777"
    )
    changes_nothing(node, STEP)
    node.settings["nccl_inspector"] = "0"
    runs_well(node, STEP)
    assert not node.has(INSPECTOR)
    assert not node.has("etc/tmpfiles.d/trainyard-nccl-inspector.conf")
