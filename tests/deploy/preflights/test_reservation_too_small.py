from typing import Any

from tests.deploy.preflights.good import RESERVATION, changed, found, problems, reservation

PREFLIGHT = "reservation-too-small"


def reserved(**of: Any) -> dict[str, Any]:
    return {"ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation(**of)]}}


def test_more_nodes_than_the_whole_reservation_are_an_error():
    (problem,) = problems(PREFLIGHT, answers=reserved(TotalInstanceCount=3, AvailableInstanceCount=3))
    assert problem.path == ("queues", 0, "nodes")
    assert problem.message == f"reservation {RESERVATION} holds 3 instances, and queue 'compute-gpu' may grow to 4"


def test_static_nodes_beyond_what_is_left_are_an_error():
    assert found(PREFLIGHT, answers=reserved(AvailableInstanceCount=3)) == ["queues[0].nodes"]


def test_dynamic_nodes_beyond_what_is_left_are_a_warning():
    spec = changed("nodes: 4", "nodes: {min: 1, max: 4}")
    assert found(PREFLIGHT, spec, reserved(AvailableInstanceCount=1)) == ["queues[0].nodes (warning)"]


def test_instances_that_this_cluster_runs_in_it_already_are_its_own():
    mine = {
        "InstanceId": "i-1", "InstanceType": "p5.48xlarge", "CapacityReservationId": RESERVATION,
        "Tags": [{"Key": "parallelcluster:cluster-name", "Value": "llm-p5"}],
    }  # fmt: skip
    instances = {"ec2.DescribeInstances": {"Reservations": [{"Instances": [mine]}]}}
    assert found(PREFLIGHT, answers={**reserved(AvailableInstanceCount=3), **instances}) == []


def test_queues_that_share_a_reservation_are_added_up():
    second = (
        f"  - {{name: second, instance_type: p5.48xlarge, capacity: {{reservation: {RESERVATION}}}}}\nfile_systems:"
    )
    spec = changed("file_systems:", second)
    assert found(PREFLIGHT, spec) == ["queues[2].nodes"]
    assert found(PREFLIGHT, spec, reserved(TotalInstanceCount=5, AvailableInstanceCount=5)) == []


def test_of_one_that_has_not_begun_the_whole_counts():
    assert found(PREFLIGHT, answers=reserved(State="scheduled", AvailableInstanceCount=0)) == []


def test_one_that_is_over_is_another_preflight_s_matter():
    assert found(PREFLIGHT, answers=reserved(State="expired", AvailableInstanceCount=0)) == []
