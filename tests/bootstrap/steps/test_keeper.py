"""Prometheus on the monitoring instance."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import keeper_node, prometheus, publish
from tests.bootstrap.steps.scripts import answers, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "69-keeper"
UNIT = "trainyard-keeper.service"
CONFIG = "etc/trainyard/prometheus/prometheus.yml"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return keeper_node(tmp_path)


def started_with(node: FakeNode) -> str:
    (line,) = [line for line in node.read(f"etc/systemd/system/{UNIT}").splitlines() if line.startswith("ExecStart=")]
    return line


def test_it_is_installed_configured_and_runs(node: FakeNode):
    runs_well(node, STEP)
    assert node.read("usr/local/bin/prometheus") == "server 3.5.0"
    assert node.read(CONFIG) == "global: {}\n"
    assert node.read("etc/trainyard/prometheus/rules.yml") == "groups: []\n"
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


def test_it_takes_what_head_nodes_send(node: FakeNode):
    runs_well(node, STEP)
    assert "--web.enable-remote-write-receiver" in started_with(node)
    assert "--web.listen-address=0.0.0.0:9090" in started_with(node)


def test_it_keeps_no_more_than_its_volume_holds(node: FakeNode):
    answers(node, "df", "printf '1K-blocks\\n104857600\\n'")
    runs_well(node, STEP)
    assert "--storage.tsdb.retention.size=70GB" in started_with(node)
    assert "--storage.tsdb.retention.time=90d" in started_with(node)


def test_a_volume_without_room_for_a_gigabyte_is_told(node: FakeNode):
    answers(node, "df", "printf '1K-blocks\\n1400000\\n'")
    assert "is too small to keep metrics" in complaint(node.run(STEP), 73)


def test_a_larger_volume_is_used(node: FakeNode):
    runs_well(node, STEP)
    answers(node, "df", "printf '1K-blocks\\n209715200\\n'")
    node.forget_calls()
    runs_well(node, STEP)
    assert "--storage.tsdb.retention.size=140GB" in started_with(node)
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_other_rules_are_read_without_an_end(node: FakeNode):
    runs_well(node, STEP)
    publish(node, "rules.yml", "groups: [{name: more}]\n")
    node.forget_calls()
    runs_well(node, STEP)
    assert "more" in node.read("etc/trainyard/prometheus/rules.yml")
    verbs = [call[1] for call in node.calls("systemctl")]
    assert "reload-or-restart" in verbs
    assert "restart" not in verbs


def test_a_new_version_is_started_again(node: FakeNode):
    runs_well(node, STEP)
    node.asset("prometheus", "prometheus-3.5.0.linux-amd64.tar.gz", prometheus("3.5.1"))
    node.forget_calls()
    runs_well(node, STEP)
    assert node.read("usr/local/bin/prometheus") == "server 3.5.1"
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


@pytest.mark.parametrize("name", ["instance.yml"])
def test_what_promtool_objects_to_leaves_what_runs(node: FakeNode, name: str):
    runs_well(node, STEP)
    publish(node, name, "broken")
    said = complaint(node.run(STEP), 1)
    assert "cannot use monitoring/instance.yml of the release" in said
    assert "found broken" in said
    assert node.read(CONFIG) == "global: {}\n"
    assert node.is_active(UNIT)


@pytest.mark.parametrize("name", ["instance.yml", "rules.yml"])
def test_a_release_without_its_files_is_told(node: FakeNode, name: str):
    (node.release / "monitoring" / name).unlink()
    assert f"holds no monitoring/{name}" in complaint(node.run(STEP), 65)


def test_a_server_that_does_not_answer_is_told(node: FakeNode):
    node.fail("curl", "curl: (7) Failed to connect to 127.0.0.1 port 9090")
    said = complaint(node.run(STEP), 1)
    assert "http://127.0.0.1:9090/-/ready" in said
    assert "journalctl" in said


def test_a_full_disk_leaves_no_half_program(node: FakeNode):
    ran = node.run(STEP, disk_full=True)
    assert "no space left" in complaint(ran, 73)
    assert not [file for file in node.files() if "prometheus" in file and "trainyard-new" in file]
    runs_well(node, STEP)
    assert node.is_active(UNIT)


def test_an_asset_that_is_damaged_is_told(node: FakeNode):
    node.asset_fails("prometheus", 65, "prometheus is damaged: its SHA-256 is 0")
    assert complaint(node.run(STEP), 65) == "prometheus is damaged: its SHA-256 is 0"


def test_an_archive_without_the_program_is_told(node: FakeNode):
    node.asset("prometheus", "prometheus-3.5.0.linux-amd64.tar.gz", b"no archive")
    assert "cannot unpack prometheus from prometheus-3.5.0.linux-amd64.tar.gz" in complaint(node.run(STEP), 1)
    assert not node.has("usr/local/bin/prometheus")


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT, "bin/kill") == ""


def test_it_runs_as_a_user_of_its_own_without_rights(node: FakeNode):
    runs_well(node, STEP)
    lines = set(node.read(f"etc/systemd/system/{UNIT}").splitlines())
    assert {"DynamicUser=yes", "CapabilityBoundingSet=", "NoNewPrivileges=yes", "ProtectSystem=strict"} <= lines
    (state,) = [line for line in lines if line.startswith("StateDirectory=")]
    assert re.search(rf"--storage\.tsdb\.path=/var/lib/{state.partition('=')[2]} ", started_with(node))
