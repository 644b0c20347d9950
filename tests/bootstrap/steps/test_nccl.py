"""The shared NCCL, copied to nodes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bootstrap.steps.nccl_node import VERSION, NcclNode
from tests.bootstrap.steps.scripts import answers, run_script
from tests.bootstrap.steps.stubs import changes_nothing, complaint, runs_well
from trainyard.bootstrap.steps import ASSETS

STEP = "70-nccl"
OTHER = "2.29.3-1"
PROFILE = "etc/profile.d/trainyard-nccl.sh"
COPY = f"opt/trainyard/nccl/{VERSION}"


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> NcclNode:
    builder = NcclNode(tmp_path_factory.mktemp("builder"))
    builder.built()
    builder.built(version=OTHER)
    return builder


@pytest.fixture
def node(tmp_path: Path, builder: NcclNode) -> NcclNode:
    node = NcclNode(tmp_path)
    node.take(builder)
    return node


def change_manifest(node: NcclNode, **values: object) -> None:
    file = node.manifests / f"{VERSION}.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **values}))


def test_the_current_version_is_copied(node: NcclNode):
    assert f"NCCL {VERSION} of /fsx/nccl is used" in runs_well(node, STEP)
    copy = node.root / COPY
    assert (copy / "lib/libnccl.so.2").read_text() == (node.shared / VERSION / "lib/libnccl.so.2").read_text()
    assert str((copy / "lib/libnccl.so").readlink()) == "libnccl.so.2"
    assert (copy / "bin/all_reduce_perf").stat().st_mode & 0o111
    assert str((copy.parent / "current").readlink()) == VERSION


def test_what_only_compilers_need_stays_where_it_is(node: NcclNode):
    runs_well(node, STEP)
    assert not node.has(f"{COPY}/lib/libnccl_static.a")


def test_a_second_run_changes_nothing(node: NcclNode):
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_nothing_that_shells_or_programs_load_lies_on_the_shared_file_system(node: NcclNode):
    runs_well(node, STEP)
    found = [file for place in ("opt/trainyard", "etc") for file in (node.root / place).rglob("*")]
    assert [file for file in found if file.resolve().is_relative_to(node.root / "fsx")] == []
    assert "/fsx" not in node.read(PROFILE)


def test_a_link_of_a_former_release_goes(node: NcclNode):
    (node.root / "etc/profile.d").mkdir(parents=True)
    (node.root / PROFILE).symlink_to("/fsx/nccl/current/setup-nccl-env.sh")
    runs_well(node, STEP)
    assert not (node.root / PROFILE).is_symlink()


def test_the_script_for_shells_is_the_one_of_the_release(node: NcclNode):
    (node.shared / VERSION / "setup-nccl-env.sh").write_text("echo planted\n")
    runs_well(node, STEP)
    assert "planted" not in node.read(f"{COPY}/setup-nccl-env.sh")


def plant_text(file: Path) -> None:
    file.write_text("planted")


def plant_link(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/passwd")


def plant_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def plant_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize("plant", [plant_text, plant_link, plant_pipe, plant_folder, Path.unlink])
@pytest.mark.parametrize("name", ["lib/libnccl.so.2", "bin/all_reduce_perf"])
def test_what_is_not_what_was_built_is_not_copied(node: NcclNode, name: str, plant: Callable[[Path], None]):
    plant(node.shared / VERSION / name)
    assert f"/fsx/nccl/{VERSION} is not what was built" in complaint(node.run(STEP), 65)
    assert list((node.root / "opt/trainyard/nccl").iterdir()) == []


def test_a_link_that_leads_elsewhere_is_not_copied(node: NcclNode):
    link = node.shared / VERSION / "lib/libnccl.so"
    link.unlink()
    link.symlink_to("/etc/passwd")
    assert "lib/libnccl.so has changed" in complaint(node.run(STEP), 65)


def test_what_does_not_belong_to_a_version_is_not_copied(node: NcclNode):
    (node.shared / VERSION / "lib/libc.so.6").write_text("planted")
    runs_well(node, STEP)
    assert not node.has(f"{COPY}/lib/libc.so.6")


def test_another_version_on_the_shared_file_system_is_not_taken_by_its_link_there(node: NcclNode):
    (node.shared / "current").unlink()
    (node.shared / "current").symlink_to(OTHER)
    assert f"NCCL {VERSION} of /fsx/nccl is used" in runs_well(node, STEP)


def test_the_former_version_stays_where_the_next_one_was_changed(node: NcclNode):
    runs_well(node, STEP)
    assert run_script(node, "nccl/use-nccl.sh", OTHER).returncode == 0
    (node.shared / OTHER / "lib/libnccl.so.2").write_text("planted")
    complaint(node.run(STEP), 65)
    assert str((node.root / "opt/trainyard/nccl/current").readlink()) == VERSION
    assert node.has(f"{COPY}/lib/libnccl.so.2")


def test_a_copy_that_was_changed_is_made_anew(node: NcclNode):
    runs_well(node, STEP)
    (node.root / COPY / "lib/libnccl.so.2").write_text("changed")
    assert "copied NCCL" in runs_well(node, STEP)
    assert node.read(f"{COPY}/lib/libnccl.so.2") != "changed"


def test_python_loads_nothing_from_the_folder_that_somebody_calls_it_in(node: NcclNode):
    (node.shared / "json.py").write_text("raise SystemExit('planted')\n")
    node.write_settings()
    ran = subprocess.run(
        ["bash", ASSETS / f"steps/{STEP}.sh"], cwd=node.shared,
        env={"PATH": f"{node.bin}:/usr/bin:/bin", "STUB": str(node.stub), "TRAINYARD_SYSROOT": str(node.root)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_node_that_comes_before_nccl_is_built_says_how_to_get_it(tmp_path: Path):
    node = NcclNode(tmp_path)
    assert "this cluster has built no NCCL yet: submit nccl/build-nccl.sbatch" in runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_another_version_than_the_spec_asks_is_said(node: NcclNode):
    node.settings["nccl_version"] = "2.30.1-1"
    said = runs_well(node, STEP)
    assert f"NCCL {VERSION} of /fsx/nccl is used" in said
    assert "the spec asks for NCCL 2.30.1-1" in said


def test_a_version_that_is_not_built_for_these_gpus_is_told(node: NcclNode):
    change_manifest(node, architectures=["80", "100"])
    assert "is built for sm_80 and sm_100, but this node's GPUs are sm_90" in complaint(node.run(STEP), 64)


def test_one_of_several_architectures_is_enough(node: NcclNode):
    change_manifest(node, architectures=["80", "90"])
    runs_well(node, STEP)


def test_where_the_driver_does_not_say_the_architecture_is_not_compared(node: NcclNode):
    answers(node, "nvidia-smi", "exit 9")
    change_manifest(node, architectures=["100"])
    runs_well(node, STEP)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_a_damaged_manifest_is_told(node: NcclNode, text: str):
    (node.manifests / f"{VERSION}.json").write_text(text)
    assert f"cannot be read: remove /fsx/nccl/{VERSION} and build NCCL again" in complaint(node.run(STEP), 65)


@pytest.mark.parametrize("target", ["../../../etc/passwd", "current", "$(reboot).json"])
def test_a_link_to_no_version_is_told(node: NcclNode, target: str):
    (node.manifests / "current").unlink()
    (node.manifests / "current").symlink_to(target)
    assert "which is no version of NCCL: call use-nccl.sh again" in complaint(node.run(STEP), 65)


def test_a_full_disk_is_told_and_leaves_nothing(node: NcclNode):
    runs_well(node, STEP)
    assert run_script(node, "nccl/use-nccl.sh", OTHER).returncode == 0
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert list((node.root / "opt/trainyard/nccl").glob(".new.*")) == []


@pytest.mark.parametrize("setting", ["shared", "nccl_version"])
def test_a_missing_setting_is_told(node: NcclNode, setting: str):
    node.settings[setting] = ""
    assert f"TRAINYARD_{setting.upper()} is not set" in complaint(node.run(STEP), 64)


def test_a_place_that_cannot_be_written_to_is_told(node: NcclNode):
    node.write("etc/profile.d", "a file")
    assert "etc/profile.d" in complaint(node.run(STEP), 1)
