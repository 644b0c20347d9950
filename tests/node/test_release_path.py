"""Where a node finds its release, and the command on the PATH."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.node.machine import CLUSTER_FOLDER, DIGEST, Machine
from trainyard_node.bootstrap import make_current
from trainyard_node.places import Places

CURRENT = "opt/trainyard/current"
COMMAND = "usr/local/bin/trainyard-node"
NODE_ENV = "etc/trainyard/node.env"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    made = tmp_path / "releases" / "ab"
    made.mkdir(parents=True)
    (made / "trainyard-node.pyz").write_text("import sys; print(sys.argv[1:])")
    return made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def test_the_release_becomes_the_nodes_own(root: Path, release: Path):
    make_current(release, Places(str(root)))
    assert (root / CURRENT).readlink() == release


def test_the_command_runs_the_package(root: Path, release: Path):
    make_current(release, Places(str(root)))
    assert os.access(root / COMMAND, os.X_OK)
    text = (root / COMMAND).read_text().replace("/opt/trainyard", f"{root}/opt/trainyard")
    ran = subprocess.run(["sh", "-c", text, "sh", "a b", "c"], capture_output=True, text=True, check=True)
    assert ran.stdout == "['a b', 'c']\n"


def test_a_new_release_takes_the_place_of_the_former_one(root: Path, release: Path, tmp_path: Path):
    make_current(release, Places(str(root)))
    newer = tmp_path / "newer"
    make_current(newer, Places(str(root)))
    assert (root / CURRENT).readlink() == newer


def test_what_is_as_it_should_be_is_left_alone(root: Path, release: Path):
    make_current(release, Places(str(root)))
    before = [(root / name).lstat().st_ino for name in (CURRENT, COMMAND)]
    make_current(release, Places(str(root)))
    assert [(root / name).lstat().st_ino for name in (CURRENT, COMMAND)] == before


@pytest.mark.parametrize(("content", "mode"), [(b"\xff", 0o755), (b"#!/bin/sh\n", 0o755), (None, 0o644)])
def test_a_command_that_is_damaged_is_written_again(root: Path, release: Path, content: bytes | None, mode: int):
    make_current(release, Places(str(root)))
    good = (root / COMMAND).read_bytes()
    (root / COMMAND).write_bytes(good if content is None else content)
    (root / COMMAND).chmod(mode)
    make_current(release, Places(str(root)))
    assert (root / COMMAND).read_bytes() == good
    assert os.access(root / COMMAND, os.X_OK)


def test_a_link_is_never_made_to_lead_to_itself(root: Path, release: Path, tmp_path: Path):
    make_current(release, Places(str(root)))
    (tmp_path / "other").symlink_to(root)
    for way in (root, tmp_path / "other"):
        with pytest.raises(OSError, match="it would lead to itself"):
            make_current(way / CURRENT, Places(str(root)))
    assert (root / CURRENT).readlink() == release


@pytest.mark.integration
def test_a_node_can_be_brought_up_again_by_way_of_the_link(machine: Machine):
    machine.plan(machine.step(10, "one", ""))
    assert machine.bootstrap().returncode == 0
    for _ in range(2):
        ran = machine.bootstrap(release=machine.root / CURRENT)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert (machine.root / CURRENT).readlink() == machine.release
        assert (machine.record()["release"], machine.record()["status"]) == (DIGEST, "ready")
        assert f"TRAINYARD_RELEASE='{machine.release}'\n" in (machine.root / NODE_ENV).read_text()


@pytest.mark.integration
def test_the_package_finds_the_release_behind_the_link_too(machine: Machine):
    machine.plan(machine.step(10, "one", ""))
    assert machine.bootstrap().returncode == 0
    ran = machine.run("bootstrap", "--release", str(machine.root / CURRENT), "--folder", CLUSTER_FOLDER)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (machine.root / CURRENT).readlink() == machine.release
    assert machine.record()["release"] == DIGEST


def test_a_place_that_cannot_be_written_to_is_told(root: Path, release: Path):
    (root / "usr/local").mkdir(parents=True)
    (root / "usr/local/bin").write_text("a file")
    with pytest.raises(OSError, match="bin"):
        make_current(release, Places(str(root)))
