"""Prometheus' node exporter."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "60-node-exporter"
PROGRAM = "usr/local/bin/node_exporter"
UNIT = "trainyard-node-exporter.service"


def archive(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(content), 0o755
        tar.addfile(member, io.BytesIO(content))
    return stream.getvalue()


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, monitoring="amp-only")
    content = archive("node_exporter-1.10.2.linux-amd64/node_exporter", b"\x7fELF" + b"x" * 100_000)
    node.asset("node-exporter", "node_exporter-1.10.2.linux-amd64.tar.gz", content)
    return node


def test_it_is_installed_and_runs(node: FakeNode):
    runs_well(node, STEP)
    assert os.access(node.root / PROGRAM, os.X_OK)
    assert (node.root / PROGRAM).read_bytes().startswith(b"\x7fELF")
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)


def test_it_listens_where_prometheus_asks_and_reads_our_metrics(node: FakeNode):
    runs_well(node, STEP)
    (line,) = [line for line in node.read(f"etc/systemd/system/{UNIT}").splitlines() if line.startswith("ExecStart=")]
    assert "--web.listen-address=:9100" in line
    assert "--collector.textfile.directory=/var/lib/node_exporter/textfile" in line
    assert (node.root / "var/lib/node_exporter/textfile").is_dir()


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT) == ""


def test_it_runs_as_a_user_of_its_own_without_rights(node: FakeNode):
    runs_well(node, STEP)
    lines = node.read(f"etc/systemd/system/{UNIT}").splitlines()
    assert {"DynamicUser=yes", "CapabilityBoundingSet=", "NoNewPrivileges=yes", "ProtectSystem=strict"} <= set(lines)


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_a_new_version_is_started_again(node: FakeNode):
    runs_well(node, STEP)
    node.asset(
        "node-exporter", "node_exporter-1.10.2.linux-amd64.tar.gz", archive("node_exporter-2/node_exporter", b"2")
    )
    node.forget_calls()
    runs_well(node, STEP)
    assert node.read(PROGRAM) == "2"
    assert ["systemctl", "restart", UNIT] in node.calls("systemctl")


def test_one_that_was_stopped_is_started(node: FakeNode):
    runs_well(node, STEP)
    node.unit(UNIT, enabled=True)
    runs_well(node, STEP)
    assert node.is_active(UNIT)


@pytest.mark.parametrize(
    ("status", "text"),
    [(65, "node-exporter is damaged: its SHA-256 is 0"), (69, "cannot reach s3://mine: no route")],
)
def test_what_is_wrong_with_the_asset_is_passed_on(node: FakeNode, status: int, text: str):
    node.asset_fails("node-exporter", status, text)
    ran = node.run(STEP)
    assert (ran.returncode, ran.stderr.strip()) == (status, text)
    assert not node.has(PROGRAM)
    node.asset_arrives("node-exporter")
    runs_well(node, STEP)


def test_an_archive_without_the_program_is_told(node: FakeNode):
    node.asset("node-exporter", "node_exporter-1.10.2.linux-amd64.tar.gz", archive("other/README", b""))
    assert "cannot unpack node_exporter from node_exporter-1.10.2.linux-amd64.tar.gz" in complaint(node.run(STEP), 1)
    assert not node.has(PROGRAM)
    assert not list((node.root / "usr/local/bin").iterdir())


def test_a_full_disk_leaves_no_half_program(node: FakeNode):
    ran = node.run(STEP, disk_full=True)
    assert "no space left" in complaint(ran, 73)
    assert not node.has(PROGRAM)
    runs_well(node, STEP)
    assert node.is_active(UNIT)


def test_a_unit_that_does_not_start_is_told_and_tried_again(node: FakeNode):
    node.unit(UNIT, broken=True)
    assert f"cannot restart {UNIT}" in complaint(node.run(STEP), 1)
    node.unit(UNIT)
    runs_well(node, STEP)
    assert node.is_active(UNIT)
