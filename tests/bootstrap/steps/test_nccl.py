"""The shared NCCL, found by nodes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import answers
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "70-nccl"
LINK = "etc/profile.d/trainyard-nccl.sh"


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, shared="/fsx", nccl_version="2.28.7-1")
    answers(node, "nvidia-smi", "printf '9.0\\n%.0s' {1..8}")
    return node


def built(node: FakeNode, version: str = "2.28.7-1", *architectures: str) -> None:
    node.write(f"fsx/nccl/{version}/manifest.json", json.dumps({"architectures": architectures or ("90",)}))
    current = node.root / "fsx/nccl/current"
    current.unlink(missing_ok=True)
    current.symlink_to(version)


def test_login_shells_read_the_current_version(node: FakeNode):
    built(node)
    assert "NCCL 2.28.7-1 of /fsx/nccl is used" in runs_well(node, STEP)
    assert str((node.root / LINK).readlink()) == "/fsx/nccl/current/setup-nccl-env.sh"


def test_a_second_run_changes_nothing(node: FakeNode):
    built(node)
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_a_node_that_comes_before_nccl_is_built_finds_it_later(node: FakeNode):
    assert "there is no NCCL in /fsx/nccl yet" in runs_well(node, STEP)
    assert node.has(LINK)
    built(node)
    changes_nothing(node, STEP)


def test_another_version_than_the_spec_asks_is_said(node: FakeNode):
    built(node, "2.29.3-1")
    said = runs_well(node, STEP)
    assert "NCCL 2.29.3-1 of /fsx/nccl is used" in said
    assert "the spec asks for NCCL 2.28.7-1" in said


def test_a_version_that_is_not_built_for_these_gpus_is_told(node: FakeNode):
    built(node, "2.28.7-1", "80", "100")
    assert "is built for sm_80 and sm_100, but this node's GPUs are sm_90" in complaint(node.run(STEP), 64)


def test_one_of_several_architectures_is_enough(node: FakeNode):
    built(node, "2.28.7-1", "80", "90")
    runs_well(node, STEP)


def test_where_the_driver_does_not_say_the_architecture_is_not_compared(node: FakeNode):
    answers(node, "nvidia-smi", "exit 9")
    built(node, "2.28.7-1", "100")
    runs_well(node, STEP)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_a_damaged_manifest_is_told(node: FakeNode, text: str):
    built(node)
    node.write("fsx/nccl/2.28.7-1/manifest.json", text)
    assert "cannot be read: remove its folder and build NCCL again" in complaint(node.run(STEP), 65)


@pytest.mark.parametrize("setting", ["shared", "nccl_version"])
def test_a_missing_setting_is_told(node: FakeNode, setting: str):
    node.settings[setting] = ""
    assert f"TRAINYARD_{setting.upper()} is not set" in complaint(node.run(STEP), 64)


def test_a_place_that_cannot_be_written_to_is_told(node: FakeNode):
    node.write("etc/profile.d", "a file")
    assert "etc/profile.d" in complaint(node.run(STEP), 1)
