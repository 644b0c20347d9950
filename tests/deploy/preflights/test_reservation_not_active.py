from datetime import timedelta
from typing import Any

import pytest

from tests.deploy.preflights.good import NOW, SPEC, changed, found, problems, reservation

PREFLIGHT = "reservation-not-active"
BLOCK = changed("{reservation: cr-", "{capacity_block: cr-")
HOUR = timedelta(hours=1)


def reserved(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(**of)]}}


@pytest.mark.parametrize("state", ["expired", "cancelled", "failed", "payment-failed"])
def test_a_reservation_that_is_over_or_failed_is_an_error(state):
    assert found(PREFLIGHT, answers=reserved(State=state)) == ["queues[0].capacity.reservation"]


def test_one_that_begins_later_is_an_error_where_static_nodes_wait_for_it():
    (problem,) = problems(PREFLIGHT, answers=reserved(State="scheduled", StartDate=NOW + 48 * HOUR))
    assert problem.message == "reservation cr-0123456789abcdef0 is scheduled and begins at 2027-01-17 08:00 UTC"
    assert problem.severity == "error"


@pytest.mark.parametrize(("hours", "severity"), [(47, "error"), (48, "info"), (49, "info")])
def test_one_that_begins_while_the_deployment_waits_is_only_told(hours: int, severity: str):
    answers = reserved(State="scheduled", StartDate=NOW + 48 * HOUR)
    (problem,) = problems(PREFLIGHT, answers=answers, waits_for_capacity_s=hours * 3600)
    assert problem.severity == severity


def test_one_that_begins_later_is_a_warning_for_dynamic_nodes():
    spec = changed("nodes: 4", "nodes: {min: 0, max: 4}")
    assert found(PREFLIGHT, spec, reserved(State="scheduled")) == ["queues[0].capacity.reservation (warning)"]


def test_a_capacity_block_may_begin_later():
    answers = reserved(State="scheduled", StartDate=NOW + 48 * HOUR, ReservationType="capacity-block")
    assert found(PREFLIGHT, BLOCK, answers) == ["queues[0].capacity.capacity_block (info)"]


def test_a_capacity_block_is_over_half_an_hour_before_its_end():
    late = reserved(EndDate=NOW + timedelta(minutes=29), ReservationType="capacity-block")
    assert found(PREFLIGHT, BLOCK, late) == ["queues[0].capacity.capacity_block"]
    early = reserved(EndDate=NOW + timedelta(minutes=31), ReservationType="capacity-block")
    assert found(PREFLIGHT, BLOCK, early) == ["queues[0].capacity.capacity_block (warning)"]


def test_an_end_that_is_near_is_a_warning_and_one_that_is_far_is_fine():
    assert found(PREFLIGHT, answers=reserved(EndDate=NOW + 2 * HOUR)) == ["queues[0].capacity.reservation (warning)"]
    assert found(PREFLIGHT, answers=reserved(EndDate=NOW + 72 * HOUR)) == []
    assert found(PREFLIGHT, answers=reserved(EndDate=NOW - HOUR)) == ["queues[0].capacity.reservation"]


def test_a_group_with_one_good_reservation_is_only_a_warning():
    arn = "arn:aws:resource-groups:us-east-2:123456789012:group/ml"
    ids = ["cr-0123456789abcdef0", "cr-0123456789abcdef1"]
    members = [
        {"Identifier": {"ResourceArn": f"arn:aws:ec2:::capacity-reservation/{id_}",
                        "ResourceType": "AWS::EC2::CapacityReservation"}} for id_ in ids
    ]  # fmt: skip
    both = [reservation(), reservation(CapacityReservationId=ids[1], State="expired")]
    answers = {
        "resource-groups.ListGroupResources": {"Resources": members},
        "ec2.DescribeCapacityReservations": {"CapacityReservations": both},
    }
    spec = changed("{reservation: cr-0123456789abcdef0}", f'{{reservation_group: "{arn}"}}')
    assert found(PREFLIGHT, spec, answers) == ["queues[0].capacity.reservation_group (warning)"]


def test_a_block_that_is_over_is_a_warning_where_its_queue_has_the_next_one():
    ids = ("cr-0123456789abcdef0", "cr-0123456789abcdef1")
    kinds = [f"{{instance_type: p5.48xlarge, nodes: 4, capacity: {{capacity_block: {id_}}}}}" for id_ in ids]
    spec = SPEC.replace(
        f"    instance_type: p5.48xlarge\n    nodes: 4\n    capacity: {{reservation: {ids[0]}}}\n",
        f"    compute_resources: [{', '.join(kinds)}]\n",
    )
    assert spec != SPEC
    states = dict(zip(ids, ("expired", "active"), strict=True))
    blocks = [
        reservation(CapacityReservationId=id_, State=state, ReservationType="capacity-block")
        for id_, state in states.items()
    ]
    answers = {"ec2.DescribeCapacityReservations": {"CapacityReservations": blocks}}
    (problem,) = problems(PREFLIGHT, spec, answers)
    assert problem.severity == "warning"
    assert "its nodes are left out of the cluster" in str(problem.remedy)
    blocks[1]["State"] = "expired"
    assert {problem.severity for problem in problems(PREFLIGHT, spec, answers)} <= {None, "error"}
