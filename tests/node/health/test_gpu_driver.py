"""Whether module, library and fabric manager are of one version."""

from __future__ import annotations

import pytest

from tests.node.health.gpus import eight, nodes_without_gpus, p5, p5_without_answer
from tests.node.health.node import Node
from trainyard_node.errors import LATER
from trainyard_node.health.gpu_driver import check
from trainyard_node.processes import NOT_FOUND

MODULE = "/sys/module/nvidia/version"
# The line of the open module: https://github.com/NVIDIA/open-gpu-kernel-modules
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  Release Build  (dvs-builder@U22)\n"


@pytest.fixture(autouse=True)
def _fabric_manager(node: Node) -> None:
    node.says("nv-fabricmanager", "Fabric Manager version is : 580.105.08\n")


def test_three_alike_are_well(node: Node):
    node.write(MODULE, "580.105.08\n")
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "kernel module, library, fabric manager: 580.105.08")


def test_the_other_file_of_the_module_does_as_well(node: Node):
    node.write("/proc/driver/nvidia/version", OPEN)
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


def test_a_module_that_is_not_loaded_is_a_failure(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("failed", "the kernel module nvidia is not loaded")


def test_another_fabric_manager_is_a_failure_with_both_versions(node: Node):
    node.write(MODULE, "580.105.08\n")
    node.says("nv-fabricmanager", "Fabric Manager version is : 580.95.05\n")
    (outcome,) = check(p5(node))
    assert outcome.status == "failed"
    assert outcome.message == "the kernel module is version 580.105.08, and the fabric manager 580.95.05"


def test_types_without_nvswitches_need_no_fabric_manager(node: Node):
    node.write(MODULE, "580.105.08\n")
    node.says("nv-fabricmanager", "Fabric Manager version is : 580.95.05\n")
    (outcome,) = check(p5(node, fabric="none"))
    assert (outcome.status, outcome.message) == ("ok", "kernel module, library: 580.105.08")


def test_a_missing_fabric_manager_is_for_the_check_of_the_fabric_to_say(node: Node):
    node.write(MODULE, "580.105.08\n")
    node.says("nv-fabricmanager", "nv-fabricmanager: No such file or directory", NOT_FOUND)
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


def test_another_library_is_a_failure_with_both_versions(node: Node):
    node.write(MODULE, "580.95.05\n")
    (outcome, _) = check(p5(node))
    assert outcome.status == "failed"
    assert outcome.message == "the kernel module is version 580.95.05, and the library 580.105.08"
    assert "reboot" in outcome.remedy


def test_a_library_that_refuses_the_module_is_told_by_the_name_of_its_file(node: Node):
    node.write(MODULE, "550.90.07\n")
    node.write("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.550.107.02", "")
    node.link("/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "libnvidia-ml.so.550.107.02")
    (outcome,) = check(p5_without_answer(node, "the library and the kernel module are of different versions"))
    assert outcome.message == "the kernel module is version 550.90.07, and the library 550.107.02"


def test_a_library_that_refuses_for_another_reason_says_it(node: Node):
    node.write(MODULE, "550.90.07\n")
    node.write("/usr/lib64/libnvidia-ml.so.550.90.07", "")
    (outcome,) = check(p5_without_answer(node, "NVML refuses this user: run it as root"))
    assert (outcome.status, outcome.message) == ("failed", "NVML refuses this user: run it as root")


def test_a_driver_that_is_only_slow_is_unknown(node: Node):
    node.write(MODULE, "550.90.07\n")
    (outcome,) = check(p5_without_answer(node, "it did not answer in 7 s", LATER))
    assert outcome.status == "unknown"


def test_a_library_that_does_not_say_its_version_is_not_compared(node: Node):
    node.write(MODULE, "580.105.08\n")
    (outcome,) = check(p5(node, eight()._replace(nvml_version=None)))
    assert (outcome.status, outcome.message) == ("ok", "kernel module, fabric manager: 580.105.08")


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
