"""The NVLinks of the GPUs."""

from __future__ import annotations

from typing import Any

from tests.node.health.gpus import NVLINKS, eight, gpu, nodes_without_gpus, p5
from tests.node.health.node import Node
from trainyard_node.health.gpu_nvlink import check
from trainyard_node.health.nvml import NvLink


def links(**changed: Any) -> tuple[NvLink, ...]:
    """Return eighteen links, of which the seventh is changed."""
    return (*NVLINKS[:7], NVLINKS[7]._replace(**changed), *NVLINKS[8:])


def test_links_that_are_all_up_are_well(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "18 NVLinks up on each of 8 GPUs, without errors")


def test_a_link_that_is_down_is_a_failure_that_names_it(node: Node):
    (outcome,) = check(p5(node, eight(gpu(3, nvlinks=links(active=False)))))
    assert (outcome.status, outcome.device) == ("failed", "gpu 3")
    assert outcome.message == "1 of 18 NVLinks are down: 7"


def test_a_gpu_with_fewer_links_than_the_others_is_a_failure(node: Node):
    (outcome,) = check(p5(node, eight(gpu(3, nvlinks=NVLINKS[:17]))))
    assert (outcome.status, outcome.message) == ("failed", "17 NVLinks, and other GPUs have 18")


def test_a_gpu_without_any_link_beside_others_is_a_failure(node: Node):
    (outcome,) = check(p5(node, eight(gpu(3, nvlinks=None))))
    assert (outcome.status, outcome.message) == ("failed", "0 NVLinks, and other GPUs have 18")


def test_errors_on_a_link_are_a_warning_with_numbers(node: Node):
    (outcome,) = check(p5(node, eight(gpu(0, nvlinks=links(crc_errors=12, recovery_errors=1)))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 0")
    assert outcome.message == "NVLink errors: 12 CRC errors (links 7); 1 recoveries (links 7)"


def test_counters_that_a_gpu_does_not_have_are_no_errors(node: Node):
    without = links(crc_errors=None, replay_errors=None, recovery_errors=None)
    assert [outcome.status for outcome in check(p5(node, eight(gpu(0, nvlinks=without))))] == ["ok"]


def test_no_link_at_all_where_there_should_be_some_is_unknown(node: Node):
    without = [gpu(index, nvlinks=None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*without)))] == ["unknown"]


def test_without_nvswitches_links_may_lead_nowhere(node: Node):
    some = [gpu(index, nvlinks=links(active=False)) for index in range(8)]
    (outcome,) = check(p5(node, eight(*some), fabric="none"))
    assert (outcome.status, outcome.message[:24]) == ("ok", "136 of 144 NVLinks are u")


def test_gpus_that_no_nvlink_connects_have_nothing_to_check(node: Node):
    down = tuple(link._replace(active=False) for link in NVLINKS)
    unconnected = [gpu(index, nvlinks=down if index else None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*unconnected), fabric="none"))] == ["absent"]


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
