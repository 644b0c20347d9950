"""Rows of memory that were replaced, could not be, or wait for it."""

from __future__ import annotations

from tests.node.health.gpus import eight, gpu, nodes_without_gpus, p5
from tests.node.health.node import Node
from trainyard_node.health.gpu_row_remap import check


def test_rows_that_were_remapped_are_no_trouble(node: Node):
    (outcome,) = check(p5(node, eight(gpu(0, remapped_correctable=2), gpu(1, remapped_uncorrectable=1))))
    assert (outcome.status, outcome.message) == ("ok", "nothing failed or pending on 8 GPUs, 3 rows remapped")


def test_a_remapping_that_failed_sends_the_instance_away(node: Node):
    (outcome,) = check(p5(node, eight(gpu(4, remap_failed=True, remapped_uncorrectable=3))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 4")
    assert outcome.message == "a bad row of memory could not be remapped; 3 were, before that"
    assert outcome.remedy == "have the instance replaced"


def test_a_remapping_that_waits_for_a_reset_lets_jobs_run(node: Node):
    (outcome,) = check(p5(node, eight(gpu(4, remap_pending=True))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 4")
    assert "reboot" in outcome.remedy


def test_both_at_once_are_both_said(node: Node):
    outcomes = check(p5(node, eight(gpu(4, remap_pending=True, remap_failed=True))))
    assert [outcome.status for outcome in outcomes] == ["failed", "warning"]


def test_older_gpus_retire_pages_instead(node: Node):
    older = {"remap_pending": None, "remap_failed": None, "remapped_correctable": None, "remapped_uncorrectable": None}
    volta = [gpu(index, **older, retired_pending=index == 7) for index in range(8)]
    (outcome,) = check(p5(node, eight(*volta)))
    assert (outcome.status, outcome.device) == ("warning", "gpu 7")
    assert "page" in outcome.message


def test_gpus_that_do_neither_are_no_failure(node: Node):
    neither = [gpu(index, remap_pending=None, remap_failed=None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*neither)))] == ["absent"]


def test_a_refused_question_is_unknown_and_not_well(node: Node):
    refused = gpu(2, remap_failed=None, problems=("nvmlDeviceGetRemappedRows: Unknown Error",))
    assert [(outcome.status, outcome.device) for outcome in check(p5(node, eight(refused)))] == [("unknown", "gpu 2")]


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
