"""Packages that stay as the image has them, and the GPUs that have to be there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "10-packages"
UBUNTU = ("ubuntu2204", "ubuntu2404")
EIGHT_GPUS = "".join(f"echo 'GPU {number}: NVIDIA H100 80GB HBM3 (UUID: GPU-{number})'\n" for number in range(8))
UPGRADES = ("unattended-upgrades.service", "apt-daily.timer", "apt-daily-upgrade.timer")


def ubuntu(place: Path, os_name: str = "ubuntu2204", **settings: str) -> FakeNode:
    node = FakeNode(place, os_name, **{"role": "head", **settings})
    for name in ("linux-image-6.8.0-1040-aws", "linux-aws", "nvidia-fabricmanager", "lustre-client-utils", "bash"):
        node.package(name)
    for unit in UPGRADES:
        node.unit(unit, enabled=True, active=True)
    return node


def amazon_linux(place: Path) -> FakeNode:
    node = FakeNode(place, "alinux2023", role="head")
    for name in ("kernel6.12", "kernel6.12-devel", "kernel-tools", "lustre-client", "nvidia-container-toolkit", "bash"):
        node.package(name)
    node.write("etc/dnf/dnf.conf", "[main]\ngpgcheck=True\nbest=False\n")
    return node


@pytest.mark.parametrize("os_name", UBUNTU)
def test_nothing_upgrades_by_itself_on_ubuntu(tmp_path: Path, os_name: str):
    node = ubuntu(tmp_path, os_name)
    runs_well(node, STEP)
    assert not any(node.is_enabled(unit) or node.is_active(unit) for unit in UPGRADES)
    assert 'APT::Periodic::Enable "0";' in node.read("etc/apt/apt.conf.d/99trainyard")


@pytest.mark.parametrize("os_name", UBUNTU)
def test_the_kernel_and_what_was_built_for_it_is_held(tmp_path: Path, os_name: str):
    node = ubuntu(tmp_path, os_name)
    runs_well(node, STEP)
    (held,) = node.calls("apt-mark")[1:]
    assert held == [
        "apt-mark",
        "hold",
        "linux-aws",
        "linux-image-6.8.0-1040-aws",
        "lustre-client-utils",
        "nvidia-fabricmanager",
    ]


def test_packages_for_containers_are_not_held(tmp_path: Path):
    node = ubuntu(tmp_path)
    node.package("nvidia-container-toolkit")
    node.package("libnvidia-container1")
    runs_well(node, STEP)
    assert "container" not in (node.stub / "held").read_text()


def test_amazon_linux_excludes_them_from_updates(tmp_path: Path):
    node = amazon_linux(tmp_path)
    runs_well(node, STEP)
    assert node.read("etc/dnf/dnf.conf") == (
        "[main]\nexcludepkgs=kernel6.12 kernel6.12-devel lustre-client\ngpgcheck=True\nbest=False\n"
    )


def test_what_somebody_else_excludes_stays_excluded(tmp_path: Path):
    node = amazon_linux(tmp_path)
    node.write("etc/dnf/dnf.conf", "[main]\nexcludepkgs=mine,kernel6.12\n")
    runs_well(node, STEP)
    assert node.read("etc/dnf/dnf.conf") == "[main]\nexcludepkgs=mine,kernel6.12 kernel6.12-devel lustre-client\n"
    changes_nothing(node, STEP)


@pytest.mark.parametrize("os_name", [*UBUNTU, "alinux2023"])
def test_a_second_run_changes_nothing(tmp_path: Path, os_name: str):
    node = amazon_linux(tmp_path) if os_name == "alinux2023" else ubuntu(tmp_path, os_name)
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_a_held_lock_is_a_reason_to_try_again_which_then_succeeds(tmp_path: Path):
    node = ubuntu(tmp_path)
    with node.package_lock_held():
        assert "another program still installs packages" in complaint(node.run(STEP), 75)
    assert not (node.stub / "held").read_text()
    runs_well(node, STEP)
    assert "linux-aws" in (node.stub / "held").read_text()


def test_what_an_interrupted_dpkg_left_is_finished_before_anything_is_held(tmp_path: Path):
    node = ubuntu(tmp_path)
    node.write("var/lib/dpkg/updates/0001")
    runs_well(node, STEP)
    actions = [action for action in node.actions() if action.startswith(("dpkg", "apt-mark"))]
    assert actions[0] == "dpkg --configure --pending"
    assert actions[1].startswith("apt-mark hold")


def test_a_dpkg_that_cannot_be_finished_is_said(tmp_path: Path):
    node = ubuntu(tmp_path)
    node.write("var/lib/dpkg/updates/0001")
    node.fail("dpkg", "dpkg: error processing package linux-aws")
    assert "linux-aws" in complaint(node.run(STEP), 1)


@pytest.mark.parametrize("os_name", ["ubuntu2204", "alinux2023"])
def test_a_full_disk_is_said_and_nothing_half_written_stays(tmp_path: Path, os_name: str):
    node = amazon_linux(tmp_path) if os_name == "alinux2023" else ubuntu(tmp_path)
    before = node.files()
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert {name: state for name, state in node.files().items() if "/." in name} == {}
    assert node.files().get("etc/dnf/dnf.conf") == before.get("etc/dnf/dnf.conf")
    runs_well(node, STEP)


@pytest.mark.parametrize("os_name", ["rhel9", "debian12", "alinux2"])
def test_another_system_is_refused(tmp_path: Path, os_name: str):
    node = FakeNode(tmp_path, os_name)
    assert f"does not set up {os_name}" in complaint(node.run(STEP), 64)
    assert node.actions() == []


def test_a_gpu_node_with_its_gpus_is_fine(tmp_path: Path):
    node = ubuntu(tmp_path, role="compute-gpu", gpus="8")
    node.program("nvidia-smi", EIGHT_GPUS)
    runs_well(node, STEP)


def test_a_gpu_setup_without_a_gpu_is_refused(tmp_path: Path):
    node = ubuntu(tmp_path, role="compute-gpu", instance_type="c5.large")
    said = complaint(node.run(STEP), 66)
    assert "no GPU of this c5.large" in said
    assert node.actions() == []


def test_a_gpu_that_is_missing_is_counted(tmp_path: Path):
    node = ubuntu(tmp_path, role="compute-gpu", gpus="8")
    node.program("nvidia-smi", EIGHT_GPUS.split("\n", 1)[1])
    assert "lists 7 GPUs and a p5.48xlarge has 8" in complaint(node.run(STEP), 66)


def test_nobody_asks_for_gpus_on_other_nodes(tmp_path: Path):
    node = ubuntu(tmp_path, role="compute-cpu")
    runs_well(node, STEP)
    assert node.calls("nvidia-smi") == []
