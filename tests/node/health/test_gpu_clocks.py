"""What holds the clocks of the GPUs down."""

from __future__ import annotations

import pytest

from tests.node.health.gpus import eight, gpu, nodes_without_gpus, p5
from tests.node.health.node import Node
from trainyard_node.health.gpu_clocks import HARMLESS, SLOWED, WATCHED, check


@pytest.mark.parametrize("reasons", [0, *HARMLESS, sum(HARMLESS), 0x200, 0x400, 1 << 40])
def test_an_idle_gpu_and_one_at_its_power_limit_are_well(node: Node, reasons: int):
    (outcome,) = check(p5(node, eight(gpu(2, clock_event_reasons=reasons))))
    assert outcome.status == "ok"


def test_what_limits_the_clocks_is_said_where_it_is_harmless(node: Node):
    (outcome,) = check(p5(node, eight(gpu(2, clock_event_reasons=0x4))))
    assert outcome.message == "nothing slows 8 GPUs down (what limits clocks: idle, software power cap)"


@pytest.mark.parametrize("reasons", [*SLOWED, 0x48, 0x40 | 0x20])
def test_a_slowdown_by_heat_or_from_outside_is_a_warning_as_it_may_last_a_moment(node: Node, reasons: int):
    (outcome,) = check(p5(node, eight(gpu(2, clock_event_reasons=reasons, temperature_c=91))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 2")
    assert "halved or worse" in outcome.message
    assert outcome.message.endswith("at 91 °C")


@pytest.mark.parametrize("reasons", [*WATCHED, 0x28])
def test_a_slowdown_that_may_pass_is_a_warning(node: Node, reasons: int):
    (outcome,) = check(p5(node, eight(gpu(2, clock_event_reasons=reasons, temperature_c=None))))
    assert (outcome.status, outcome.device) == ("warning", "gpu 2")


def test_gpus_that_do_not_say_are_no_failure(node: Node):
    silent = [gpu(index, clock_event_reasons=None) for index in range(8)]
    assert [outcome.status for outcome in check(p5(node, eight(*silent)))] == ["absent"]


def test_a_refused_question_is_unknown_and_not_well(node: Node):
    refused = gpu(2, clock_event_reasons=None, problems=("nvmlDeviceGetCurrentClocksEventReasons: Unknown Error",))
    assert [(outcome.status, outcome.device) for outcome in check(p5(node, eight(refused)))] == [("unknown", "gpu 2")]


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4
