"""A sick node is held, a well one given back, and nobody else's hold is touched."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.node.health.node import Node
from tests.node.health.slurm import NAME, RESERVATION, FakeSlurm
from trainyard_node.errors import NodeError
from trainyard_node.health.node_hold import NodeHold, record_of_hold
from trainyard_node.health.outcome import Outcome
from trainyard_node.processes import Ran

SICK = [Outcome("gpu-count", "failed", "7 of 8 GPUs are here"), Outcome("efa-count", "ok", "32 of 32")]
WELL = [Outcome("gpu-count", "ok", "8 of 8 GPUs are here"), Outcome("efa-count", "ok", "32 of 32")]


@pytest.fixture
def slurm(node: Node) -> FakeSlurm:
    node.write("/etc/parallelcluster/slurm_plugin/slurm_nodename", f"{NAME}\n")
    return FakeSlurm()


def follow(node: Node, slurm: FakeSlurm, outcomes: list[Outcome]) -> str:
    return NodeHold(node.world._replace(processes=slurm)).follow(outcomes)


def record(node: Node) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(record_of_hold(node.places).read_text())
    return values


def test_a_sick_node_is_reserved_with_its_reason_on_record(node: Node, slurm: FakeSlurm):
    said = follow(node, slurm, SICK)
    assert slurm.reservations == {RESERVATION}
    assert said == f"the reservation {RESERVATION} keeps jobs from this node: gpu-count: 7 of 8 GPUs are here"
    assert record(node)["checks"] == ["gpu-count"]
    assert record(node)["reason"] == "gpu-count: 7 of 8 GPUs are here"


def test_jobs_that_run_on_a_sick_node_are_left_alone(node: Node, slurm: FakeSlurm):
    slurm.answers["squeue"] = Ran(0, "17\n")
    follow(node, slurm, SICK)
    assert not [action for action in slurm.actions() if "requeue" in action]


def test_a_node_that_is_well_again_is_given_back(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    assert "healthy again" in follow(node, slurm, WELL)
    assert slurm.reservations == set()
    assert not record_of_hold(node.places).exists()


def test_the_hold_of_a_node_that_says_nothing_more_ends_by_itself(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    assert "Duration=60 " in slurm.actions()[0]


@pytest.mark.parametrize("outcomes", [SICK, [Outcome("gpu-count", "unknown", "the check did not answer in time")]])
def test_a_node_that_stays_held_is_held_for_another_hour(node: Node, slurm: FakeSlurm, outcomes: list[Outcome]):
    follow(node, slurm, SICK)
    follow(node, slurm, outcomes)
    assert slurm.actions()[1:] == [f"scontrol update ReservationName={RESERVATION} EndTime=now+60minutes"]


def test_a_hold_that_ended_because_the_node_was_silent_begins_anew(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    slurm.reservations.clear()
    follow(node, slurm, SICK)
    assert slurm.reservations == {RESERVATION}


def test_a_dynamic_node_is_not_excepted_from_power_saving_by_a_name_that_nobody_would_take_back(
    node: Node, slurm: FakeSlurm
):
    node.write("/etc/parallelcluster/slurm_plugin/slurm_nodename", "train-dy-gpu-1\n")
    assert "unless slurm.conf says SuspendExcStates=RESERVED" in follow(node, slurm, SICK)
    assert not [action for action in slurm.actions() if "SuspendExcNodes" in action]


def test_what_others_reserved_is_not_made_longer_or_shorter(node: Node, slurm: FakeSlurm):
    slurm.reservations.add(RESERVATION)
    follow(node, slurm, SICK)
    assert slurm.actions() == []


def test_a_node_that_stays_sick_is_held_once_and_since_the_first_time(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    since = record(node)["since"]
    node.world.clock.sleep(3600)
    follow(node, slurm, [Outcome("efa-count", "failed", "31 of 32")])
    assert [action for action in slurm.actions() if "create" in action] == slurm.actions()[:1]
    assert record(node)["since"] == since
    assert record(node)["checks"] == ["gpu-count", "efa-count"]


@pytest.mark.parametrize(
    "outcomes",
    [
        [Outcome("efa-count", "ok", "32 of 32")],
        [Outcome("gpu-count", "unknown", "the check did not answer in time")],
        [Outcome("gpu-count", "absent", "the node has no NVIDIA GPUs")],
    ],
)
def test_a_node_stays_held_while_what_it_was_held_for_is_not_known_to_be_well(
    node: Node, slurm: FakeSlurm, outcomes: list[Outcome]
):
    follow(node, slurm, SICK)
    assert "stays held, because it was for gpu-count" in follow(node, slurm, outcomes)
    assert slurm.reservations == {RESERVATION}


def test_a_healthy_node_that_was_never_held_is_not_asked_about(node: Node, slurm: FakeSlurm):
    assert follow(node, slurm, WELL) == ""
    assert slurm.commands == []


def test_what_the_bootstrap_holds_is_neither_held_again_nor_given_back(node: Node, slurm: FakeSlurm):
    node.write("/var/lib/trainyard/bootstrap.json", '{"schema": 1, "status": "held"}')
    slurm.reservations.add(RESERVATION)
    assert "the bootstrap holds this node already" in follow(node, slurm, SICK)
    assert follow(node, slurm, WELL) == ""
    assert slurm.reservations == {RESERVATION}


def test_what_the_bootstrap_took_over_is_no_longer_the_health_checks_to_give_back(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    node.write("/var/lib/trainyard/bootstrap.json", '{"schema": 1, "status": "held"}')
    assert follow(node, slurm, WELL) == ""
    node.write("/var/lib/trainyard/bootstrap.json", '{"schema": 1, "status": "ready"}')
    assert follow(node, slurm, WELL) == ""
    assert slurm.reservations == {RESERVATION}


def test_a_reservation_of_the_same_name_that_somebody_else_made_stays(node: Node, slurm: FakeSlurm):
    slurm.reservations.add(RESERVATION)
    assert "somebody else holds this node already" in follow(node, slurm, SICK)
    assert follow(node, slurm, WELL) == ""
    assert slurm.reservations == {RESERVATION}


def test_a_damaged_record_gives_nothing_back_and_is_said_to_be_so(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    record_of_hold(node.places).write_text('{"schema": 1, "che')
    assert "health-hold.json is damaged" in follow(node, slurm, WELL)
    assert slurm.reservations == {RESERVATION}


def test_a_hold_that_somebody_ended_is_forgotten(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    slurm.reservations.clear()
    follow(node, slurm, WELL)
    assert not record_of_hold(node.places).exists()
    assert not [action for action in slurm.actions() if "delete" in action]


def test_a_node_that_slurm_does_not_hold_is_not_on_record(node: Node, slurm: FakeSlurm):
    slurm.fails.add("create")
    with pytest.raises(NodeError, match="cannot reserve train-st-gpu-1"):
        follow(node, slurm, SICK)
    assert not record_of_hold(node.places).exists()


def test_a_node_that_cannot_be_given_back_stays_on_record(node: Node, slurm: FakeSlurm):
    follow(node, slurm, SICK)
    slurm.fails.add("delete")
    with pytest.raises(NodeError, match="healthy, but still held"):
        follow(node, slurm, WELL)
    assert record(node)["checks"] == ["gpu-count"]


def test_a_slurm_that_does_not_answer_is_one_clear_line(node: Node, slurm: FakeSlurm):
    slurm.fails.add("show")
    with pytest.raises(NodeError, match="Unable to contact slurm controller"):
        follow(node, slurm, SICK)
    assert slurm.actions() == []


def test_without_a_record_the_node_is_not_held(node: Node, slurm: FakeSlurm):
    node.write("/var/lib/trainyard", "a file where the folder should be")
    with pytest.raises(NodeError, match=r"cannot write .*health-hold.json .*it is not held"):
        follow(node, slurm, SICK)
    assert slurm.reservations == set()


def test_only_compute_nodes_are_held(node: Node):
    with pytest.raises(NodeError, match="only compute nodes are held"):
        follow(node, FakeSlurm(), SICK)
