"""Whether it is known what the node should have."""

from __future__ import annotations

from tests.node.health.node import Node
from trainyard_node.health.machine import ExpectedHardware, expected_hardware, this_machine
from trainyard_node.health.settings_known import check


def test_settings_that_are_there_are_said(node: Node):
    node.settings()
    (outcome,) = check(this_machine(node.world))
    assert (outcome.status, outcome.message) == ("ok", "p5.48xlarge should have 8 GPUs and 32 EFA interfaces")
    assert expected_hardware(node.places) == ExpectedHardware(8, 32, "fabric-manager", "/fsx", "gpu", "p5.48xlarge")


def test_numbers_that_nobody_knows_are_no_damage(node: Node):
    node.settings(GPUS="", EFA_INTERFACES="")
    (outcome,) = check(this_machine(node.world))
    assert outcome.status == "ok"
    assert "an unknown number of GPUs" in outcome.message


def test_missing_settings_are_a_warning_and_expect_nothing(node: Node):
    (outcome,) = check(this_machine(node.world))
    assert outcome.status == "warning"
    assert "node.env is missing" in outcome.message
    assert expected_hardware(node.places) == ExpectedHardware()


def test_damaged_settings_are_a_warning_that_quotes_them(node: Node):
    node.settings(GPUS="eight")
    (outcome,) = check(this_machine(node.world))
    assert (outcome.status, "TRAINYARD_GPUS is 'eight' instead of a number" in outcome.message) == ("warning", True)
    assert expected_hardware(node.places).gpus is None


def test_settings_that_are_not_text_are_damaged(node: Node):
    node.write("/etc/trainyard/node.env", "\x00\x01" * 50)
    (outcome,) = check(this_machine(node.world))
    assert (outcome.status, "names no cluster" in outcome.message) == ("warning", True)
