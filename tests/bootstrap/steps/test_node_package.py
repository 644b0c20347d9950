"""The node package and its unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "55-node-package"
CURRENT = "opt/trainyard/current"
COMMAND = "usr/local/bin/trainyard-node"
UNIT = "trainyard-deferred.service"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    """Make a node as the runner leaves it to its steps."""
    made = FakeNode(tmp_path)
    made.write(COMMAND, "#!/bin/sh\n", 0o755)
    lead_to(made, made.release)
    return made


def lead_to(node: FakeNode, release: Path) -> None:
    link = node.root / CURRENT
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(release)


def test_a_second_run_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


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
    assert not node.has(f"etc/systemd/system/{UNIT}")


def test_a_node_whose_command_the_runner_could_not_write_ends(node: FakeNode):
    (node.root / COMMAND).unlink()
    assert f"{COMMAND} cannot be run: the runner said why" in complaint(node.run(STEP), 1)
    assert not node.has(f"etc/systemd/system/{UNIT}")


def test_a_node_that_would_go_on_with_another_release_ends(node: FakeNode, tmp_path: Path):
    lead_to(node, tmp_path / "former")
    assert f"does not lead to {node.release}" in complaint(node.run(STEP), 1)
    lead_to(node, node.release)
    runs_well(node, STEP)


def test_a_full_disk_leaves_no_half_files(node: FakeNode):
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert not node.has(f"etc/systemd/system/{UNIT}")
    runs_well(node, STEP)
    assert node.has(f"etc/systemd/system/{UNIT}")
