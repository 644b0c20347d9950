"""Alertmanager on the monitoring instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import alertmanager, keeper_node, publish
from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "71-alertmanager"
UNIT = "trainyard-alertmanager.service"
CONFIG = "etc/trainyard/alertmanager.yml"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return keeper_node(tmp_path)


def test_it_is_installed_configured_and_runs(node: FakeNode):
    runs_well(node, STEP)
    assert node.read("usr/local/bin/alertmanager") == "server 0.31.1"
    assert node.read(CONFIG) == "route: {receiver: none}\n"
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


def test_only_this_machine_speaks_with_it(node: FakeNode):
    runs_well(node, STEP)
    (line,) = [line for line in node.read(f"etc/systemd/system/{UNIT}").splitlines() if line.startswith("ExecStart=")]
    assert "--web.listen-address=127.0.0.1:9093" in line
    assert line.endswith("--cluster.listen-address=")


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_another_configuration_is_read_without_an_end(node: FakeNode):
    runs_well(node, STEP)
    publish(node, "alertmanager.yml", "route: {receiver: topic}\n")
    node.forget_calls()
    runs_well(node, STEP)
    assert "topic" in node.read(CONFIG)
    verbs = [call[1] for call in node.calls("systemctl")]
    assert "reload-or-restart" in verbs
    assert "restart" not in verbs


def test_a_new_version_is_started_again(node: FakeNode):
    runs_well(node, STEP)
    node.asset("alertmanager", "alertmanager-0.31.1.linux-amd64.tar.gz", alertmanager("0.32.0"))
    node.forget_calls()
    runs_well(node, STEP)
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_what_amtool_objects_to_leaves_what_runs(node: FakeNode):
    runs_well(node, STEP)
    publish(node, "alertmanager.yml", "broken")
    assert "cannot use monitoring/alertmanager.yml of the release" in complaint(node.run(STEP), 1)
    assert node.read(CONFIG) == "route: {receiver: none}\n"
    assert node.is_active(UNIT)


def test_a_release_without_its_file_is_told(node: FakeNode):
    (node.release / "monitoring/alertmanager.yml").unlink()
    assert "holds no monitoring/alertmanager.yml" in complaint(node.run(STEP), 65)


def test_a_server_that_does_not_answer_is_told(node: FakeNode):
    node.fail("curl", "curl: (7) Failed to connect to 127.0.0.1 port 9093")
    assert "http://127.0.0.1:9093/-/ready" in complaint(node.run(STEP), 1)


def test_a_full_disk_is_told(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    runs_well(node, STEP)


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT, "bin/kill") == ""
