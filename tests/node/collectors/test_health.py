"""The health of a node as metrics: bounded, and such that alerts can name the device."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.health.node import Node
from trainyard_node.collectors.health import HealthCollector, samples_of
from trainyard_node.health import efa_count, shared_mounted
from trainyard_node.health.checks import NAMES, Checks
from trainyard_node.health.outcome import STATUSES, Outcome


@pytest.fixture
def node(tmp_path: Path) -> Node:
    made = Node(tmp_path)
    made.settings(GPUS="0", EFA_INTERFACES="0", SHARED="")
    return made


def lines(outcomes: list[Outcome]) -> list[str]:
    return [line for line in samples_of(outcomes).text().splitlines() if not line.startswith("#")]


def test_each_check_is_in_one_state_of_all(node: Node):
    samples = HealthCollector(node.world).collect()
    found = [line for line in samples.text().splitlines() if line.startswith("trainyard_health_check{")]
    assert len(found) == len(NAMES) * len(STATUSES)
    assert sum(line.endswith(" 1") for line in found) == len(NAMES)


def test_a_sick_device_is_named_and_the_node_unhealthy():
    said = lines([Outcome("gpu-ecc", "failed", "2 errors", "gpu 3"), Outcome("gpu-ecc", "ok", "", "gpu 4")])
    assert "trainyard_node_healthy 0" in said
    assert 'trainyard_health_check{check="gpu-ecc",status="failed"} 1' in said
    assert 'trainyard_health_check{check="gpu-ecc",status="ok"} 0' in said
    assert 'trainyard_health_problem{check="gpu-ecc",device="gpu 3",status="failed",code="",text=""} 1' in said
    assert not any("gpu 4" in line for line in said)


def test_an_xid_has_its_number_and_meaning():
    xid = Outcome("gpu-xid", "failed", "Xid 79", "gpu 3", code="79", text="GPU has fallen off the bus")
    (found,) = [line for line in lines([xid]) if "problem" in line]
    assert found.endswith('device="gpu 3",status="failed",code="79",text="GPU has fallen off the bus"} 1')


def test_a_node_without_the_hardware_is_well_and_no_failure_of_the_collector(node: Node):
    text = HealthCollector(node.world, Checks([efa_count, shared_mounted])).collect().text()
    assert "trainyard_node_healthy 1" in text
    assert 'trainyard_health_check{check="efa-count",status="absent"} 1' in text
    assert "trainyard_health_problem" not in text


def test_what_a_message_says_is_no_label():
    assert not any("errors" in line for line in lines([Outcome("gpu-ecc", "failed", "2 errors", "gpu 3")]))


def test_devices_that_claim_any_number_of_names_are_bounded():
    outcomes = [Outcome("gpu-ecc", "failed", "", f"gpu {number}") for number in range(10_000)]
    assert len(lines(outcomes)) == 1 + len(STATUSES) + 200


def test_a_hostile_name_of_a_device_stays_one_label():
    (found,) = [line for line in lines([Outcome("efa-count", "failed", "", 'x"} 1\nup 1')]) if "problem" in line]
    assert found.startswith(r'trainyard_health_problem{check="efa-count",device="x\"} 1\nup 1",status="failed",code=')
