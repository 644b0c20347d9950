"""The node package and its unit."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

if TYPE_CHECKING:
    from pathlib import Path

STEP = "55-node-package"
WRAPPER = "usr/local/bin/trainyard-node"
UNIT = "trainyard-deferred.service"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path)


def test_the_release_becomes_the_nodes_own(node: FakeNode):
    runs_well(node, STEP)
    assert str((node.root / "opt/trainyard/current").readlink()) == str(node.release)


def test_the_command_runs_the_package(node: FakeNode):
    runs_well(node, STEP)
    assert os.access(node.root / WRAPPER, os.X_OK)
    text = node.read(WRAPPER).replace("/opt/trainyard", f"{node.root}/opt/trainyard")
    node.asset("efa-installer", "efa.tar.gz", b"")
    ran = subprocess.run(
        ["sh", "-c", text, "sh", "asset", "efa-installer"],
        env={"PATH": "/usr/bin:/bin", "STUB": str(node.stub)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.endswith("efa.tar.gz\n")


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_a_new_release_takes_the_place_of_the_former_one(node: FakeNode, tmp_path: Path):
    runs_well(node, STEP)
    newer = tmp_path / "newer"
    newer.mkdir()
    (newer / "trainyard-node.pyz").touch()
    node.settings["release"] = str(newer)
    runs_well(node, STEP)
    assert str((node.root / "opt/trainyard/current").readlink()) == str(newer)


def test_deferred_steps_start_with_the_node_and_not_now(node: FakeNode):
    runs_well(node, STEP)
    assert node.is_enabled(UNIT)
    assert not node.is_active(UNIT)
    assert "ExecStart=/usr/local/bin/trainyard-node bootstrap --deferred" in node.read(f"etc/systemd/system/{UNIT}")


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT) == ""


def test_a_release_without_the_package_is_told(node: FakeNode):
    (node.release / "trainyard-node.pyz").unlink()
    assert "holds no trainyard-node.pyz" in complaint(node.run(STEP), 65)
    assert not node.has(WRAPPER)


def test_a_full_disk_leaves_no_half_files(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert not node.has(WRAPPER)
    runs_well(node, STEP)
    assert node.has(WRAPPER)


def test_a_place_that_cannot_be_written_to_is_told(node: FakeNode):
    node.write("usr/local/bin", "a file")
    assert f"{node.root}/usr/local/bin" in complaint(node.run(STEP), 1)
