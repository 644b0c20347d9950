import pytest

from tests.rules.found import paths, problems

RULE = "capacity-block-without-its-type"
QUEUE = "{{name: {name}, instance_type: {type}, capacity: {capacity}}}"
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"
OTHER_BLOCK = "{capacity_block: cr-0123456789abcdef1}"
GROUP = "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}"


def queues(*capacities: str, type_: str = "p5.48xlarge") -> str:
    lines = [QUEUE.format(name=f"q{n}", type=type_, capacity=capacity) for n, capacity in enumerate(capacities)]
    return f"queues: [{', '.join(lines)}]"


@pytest.mark.parametrize("capacity", ["on-demand", "spot", RESERVATION, GROUP])
def test_a_type_of_ultraservers_with_other_capacity_is_found(capacity: str):
    assert paths(RULE, queues(capacity, type_="p6e-gb200.36xlarge")) == ["queues[0].capacity"]


def test_a_type_of_ultraservers_in_a_capacity_block_is_fine():
    assert paths(RULE, queues(BLOCK, type_="p6e-gb200.36xlarge")) == []


def test_a_type_that_is_sold_in_several_ways_may_have_any_capacity():
    assert paths(RULE, queues("on-demand", RESERVATION)) == []


def test_one_id_written_in_two_ways_is_found_at_the_reservation_whichever_comes_first():
    assert paths(RULE, queues(RESERVATION, BLOCK)) == ["queues[0].capacity.reservation"]
    (problem,) = problems(RULE, queues(BLOCK, RESERVATION))
    assert problem.path == ("queues", 1, "capacity", "reservation")
    assert problem.message == ("cr-0123456789abcdef0 is a reservation in queue 'q1' and a Capacity Block in queue 'q0'")


def test_different_ids_and_one_id_used_twice_in_the_same_way_are_fine():
    assert paths(RULE, queues(RESERVATION, OTHER_BLOCK)) == []
    assert paths(RULE, queues(BLOCK, BLOCK)) == []
    assert paths(RULE, queues(GROUP, BLOCK)) == []


def test_compute_resources_are_compared_across_queues():
    long = "queues: [{name: a, compute_resources: [{instance_type: p5.48xlarge, capacity: %s}]}, {name: b, instance_type: p5.48xlarge, capacity: %s}]"  # noqa: E501
    assert paths(RULE, long % (RESERVATION, BLOCK)) == ["queues[0].compute_resources[0].capacity.reservation"]
