"""Errors of the GPUs' memory that were not corrected."""

from __future__ import annotations

from typing import Any

import pytest

from tests.node.health.gpus import eight, gpu, lost, nodes_without_gpus, p5, p5_without_answer
from tests.node.health.node import Node
from trainyard_node.health.gpu_ecc import check


def test_gpus_without_errors_are_well(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "no uncorrected error on 8 GPUs since the driver was loaded")


@pytest.mark.parametrize("other", [{}, {"recovery_action": 0}, {"remap_pending": True}])
def test_an_uncorrected_error_that_was_contained_is_a_warning_as_jobs_may_run(node: Node, other: dict[str, Any]):
    (outcome,) = check(p5(node, eight(gpu(3, ecc_uncorrected_volatile=2, ecc_uncorrected_aggregate=7, **other))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 3")
    assert outcome.message == "2 uncorrected ECC errors since the driver was loaded, 7 in its life; jobs may run"
    assert outcome.source.startswith("https://docs.nvidia.com/")


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"remap_failed": True, "recovery_action": 0}, "a row could not be remapped"),
        ({"recovery_action": 1}, "the GPU asks for a reset of the GPU"),
        ({"recovery_action": 2}, "the GPU asks for a reboot of the node"),
        ({"recovery_action": 99}, "the GPU asks for recovery action 99"),
        ({"remap_failed": None}, "this kind of GPU contains no errors"),
    ],
)
def test_an_uncorrected_error_that_jobs_cannot_run_after_is_a_failure(node: Node, other: dict[str, Any], why: str):
    (outcome,) = check(p5(node, eight(gpu(3, ecc_uncorrected_volatile=2, **other))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 3")
    assert outcome.message.endswith(f"; {why}")


def test_errors_of_earlier_times_are_only_mentioned(node: Node):
    (outcome,) = check(p5(node, eight(gpu(3, ecc_uncorrected_aggregate=7))))
    assert outcome.status == "ok"
    assert "7 in the life" in outcome.message


def test_ecc_that_is_off_is_a_warning(node: Node):
    off = gpu(6, ecc_enabled=False, ecc_uncorrected_volatile=None, ecc_uncorrected_aggregate=None)
    (outcome,) = check(p5(node, eight(off)))
    assert (outcome.status, outcome.device) == ("warning", "gpu 6")
    assert "--ecc-config=1" in outcome.remedy


def test_gpus_that_have_no_ecc_are_no_failure(node: Node):
    without = [gpu(index, ecc_enabled=None, ecc_uncorrected_volatile=None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*without)))] == ["absent"]


def test_a_lost_gpu_does_not_hide_the_errors_of_another(node: Node):
    (outcome,) = check(p5(node, eight(lost(5), gpu(6, ecc_uncorrected_volatile=1))))
    assert outcome.device == "gpu 6"


def test_a_gpu_that_is_lost_on_the_way_is_for_another_check(node: Node):
    gone = gpu(5, fault="is lost", ecc_uncorrected_volatile=None, problems=("nvmlDeviceGetEccMode: GPU is lost",))
    assert [outcome.status for outcome in check(p5(node, eight(gone)))] == ["ok"]


def test_a_refused_question_is_unknown_and_not_well(node: Node):
    refused = gpu(2, ecc_uncorrected_volatile=None, problems=("nvmlDeviceGetTotalEccErrors: Unknown Error",))
    (outcome,) = check(p5(node, eight(refused)))
    assert (outcome.status, outcome.device) == ("unknown", "gpu 2")
    assert "Unknown Error" in outcome.message


def test_what_was_refused_for_another_check_is_not_repeated(node: Node):
    (outcome,) = check(p5(node, eight(gpu(2, problems=("nvmlDeviceGetTemperature: Unknown Error",)))))
    assert outcome.status == "ok"


def test_gpus_that_cannot_be_read_are_unknown_here(node: Node):
    (outcome,) = check(p5_without_answer(node))
    assert (outcome.status, outcome.remedy) == ("unknown", "see gpu-driver")
    assert "not loaded" in outcome.message


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
