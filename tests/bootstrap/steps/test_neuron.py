"""The Neuron driver and its companions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "25-neuron"
PACKAGES = ("aws-neuronx-collectives", "aws-neuronx-dkms", "aws-neuronx-runtime-lib", "aws-neuronx-tools")
DRIVER = 'mkdir -p "$TRAINYARD_SYSROOT/dev" && touch "$TRAINYARD_SYSROOT"/dev/neuron{0,1}'


def neuron_node(place: Path, os_name: str = "ubuntu2204") -> FakeNode:
    node = FakeNode(place, os_name, role="compute-neuron", setup="neuron", instance_type="trn1.32xlarge")
    for name in PACKAGES:
        node.package_file("neuron", name, "2.31.7.0")
    node.write(f"lib/modules/{os.uname().release}/build")
    node.program("modprobe", DRIVER)
    return node


@pytest.mark.parametrize("os_name", ["ubuntu2204", "ubuntu2404", "alinux2023"])
def test_the_pinned_packages_are_installed_and_the_driver_loaded(tmp_path: Path, os_name: str):
    node = neuron_node(tmp_path, os_name)
    assert "2 Neuron devices" in runs_well(node, STEP)
    assert node.packages() == dict.fromkeys(PACKAGES, "2.31.7.0")
    assert "/opt/aws/neuron/bin" in node.read("etc/profile.d/trainyard-neuron.sh")
    changes_nothing(node, STEP)


def test_an_older_package_of_the_image_is_replaced(tmp_path: Path):
    node = neuron_node(tmp_path)
    node.package("aws-neuronx-dkms", "2.10.0.0")
    runs_well(node, STEP)
    assert node.packages()["aws-neuronx-dkms"] == "2.31.7.0"


def test_an_instance_without_devices_is_refused_and_one_with_devices_resumes(tmp_path: Path):
    node = neuron_node(tmp_path)
    node.program("modprobe")
    assert "shows no device of this trn1.32xlarge" in complaint(node.run(STEP), 66)
    node.program("modprobe", DRIVER)
    node.forget_calls()
    runs_well(node, STEP)
    assert node.calls("dpkg") == []


def test_a_driver_that_does_not_load_is_said(tmp_path: Path):
    node = neuron_node(tmp_path)
    node.fail("modprobe", "modprobe: FATAL: Module neuron not found in directory /lib/modules/x")
    assert "cannot load the Neuron driver: modprobe: FATAL" in complaint(node.run(STEP), 1)


def test_missing_kernel_headers_are_said_before_anything_is_installed(tmp_path: Path):
    node = neuron_node(tmp_path)
    (node.root / f"lib/modules/{os.uname().release}/build").unlink()
    assert f"headers of kernel {os.uname().release} are missing" in complaint(node.run(STEP), 66)
    assert node.packages() == {}


def test_a_damaged_asset_ends_the_step(tmp_path: Path):
    node = neuron_node(tmp_path)
    node.asset_fails("neuron", 65, "aws-neuronx-dkms.deb is damaged: lock and deploy again")
    assert "is damaged" in complaint(node.run(STEP), 65)


@pytest.mark.parametrize("os_name", ["ubuntu2204", "alinux2023"])
def test_a_file_that_is_no_package_is_damaged(tmp_path: Path, os_name: str):
    node = neuron_node(tmp_path, os_name)
    node.asset("neuron", "aaa.deb", b"\0\0")
    complaint(node.run(STEP), 65)


@pytest.mark.parametrize("os_name", ["ubuntu2204", "alinux2023"])
def test_a_held_lock_is_a_reason_to_try_again(tmp_path: Path, os_name: str):
    node = neuron_node(tmp_path, os_name)
    with node.package_lock_held():
        complaint(node.run(STEP), 75)
    runs_well(node, STEP)


def test_a_full_disk_is_said(tmp_path: Path):
    node = neuron_node(tmp_path)
    node.fail("dpkg", "dpkg: error processing archive x: failed to write: No space left on device", times=1)
    assert "no space left" in complaint(node.run(STEP), 73)
    runs_well(node, STEP)


def test_another_system_is_refused(tmp_path: Path):
    node = neuron_node(tmp_path, "rhel9")
    assert "does not install Neuron on rhel9" in complaint(node.run(STEP), 64)
    assert node.actions() == []
