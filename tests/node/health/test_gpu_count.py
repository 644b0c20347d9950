"""Whether every GPU is there."""

from __future__ import annotations

from tests.node.health.gpus import eight, gpu, lost, nodes_without_gpus, p5, p5_without_answer
from tests.node.health.node import Node
from trainyard_node.errors import LATER
from trainyard_node.health.gpu_count import check
from trainyard_node.health.nvml import Gpu


def test_a_node_with_all_its_gpus_is_well(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "8 × NVIDIA H100 80GB HBM3")


def test_seven_of_eight_is_a_failure(node: Node):
    seven = eight()._replace(gpus=eight().gpus[:7])
    (outcome,) = check(p5(node, seven))
    assert (outcome.status, outcome.message) == ("failed", "7 GPUs instead of 8")
    assert "reboot" in outcome.remedy


def test_a_lost_gpu_is_named_and_the_others_are_not(node: Node):
    (outcome,) = check(p5(node, eight(lost(5))))
    assert (outcome.status, outcome.device, outcome.message) == ("failed", "gpu 5", "the GPU is lost")


def test_a_gpu_that_was_lost_on_the_way_is_named_with_its_address_and_serial_number(node: Node):
    (outcome,) = check(p5(node, eight(gpu(2, fault="requires a reset"))))
    assert outcome.message == "the GPU requires a reset (PCI 00000000:55:00.0, serial 1650523000002)"


def test_a_gpu_that_says_nothing_for_another_reason_is_a_failure(node: Node):
    silent = Gpu(4, problems=("nvmlDeviceGetHandleByIndex: Insufficient Permissions",))
    (outcome,) = check(p5(node, eight(silent)))
    assert (outcome.status, outcome.device) == ("failed", "gpu 4")
    assert "Insufficient Permissions" in outcome.message


def test_a_gpu_that_is_divided_is_a_warning(node: Node):
    (outcome,) = check(p5(node, eight(gpu(1, mig=True))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 1")


def test_more_than_the_catalog_knows_is_a_warning(node: Node):
    (outcome,) = check(p5(node, gpus=4))
    assert (outcome.status, outcome.message) == ("warning", "8 GPUs instead of 4")


def test_of_a_type_that_nobody_knows_there_has_to_be_one(node: Node):
    assert [outcome.status for outcome in check(p5(node, gpus=None))] == ["ok"]
    (found,) = check(p5(node, eight()._replace(gpus=()), gpus=None))
    assert (found.status, found.message) == ("failed", "0 GPUs instead of at least 1")


def test_without_a_driver_none_is_there(node: Node):
    (outcome,) = check(p5_without_answer(node))
    assert (outcome.status, outcome.message) == ("failed", "the NVIDIA driver is not loaded")


def test_a_driver_that_is_only_slow_is_no_failure(node: Node):
    (outcome,) = check(p5_without_answer(node, "it did not answer in 7 s", LATER))
    assert outcome.status == "unknown"


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4


def test_a_node_that_nobody_set_up_is_looked_at_where_its_driver_is_loaded(node: Node):
    node.write("/sys/module/nvidia/version", "580.105.08\n")
    for setup in ("none", ""):
        assert [outcome.status for outcome in check(p5(node, setup=setup, gpus=None))] == ["ok"]
