import pytest

from tests.rules.found import paths, problems

RULE = "reservation-zone-unclear"
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"
GROUP = "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}"
NETWORK = "network: {availability_zone: us-east-2a}\n"
EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0%s]}}\n"


def queue(capacity: str, more: str = "", name: str = "q") -> str:
    return f"{{name: {name}, instance_type: p5.48xlarge, capacity: {capacity}{more}}}"


def queues(*written: str) -> str:
    return f"queues: [{', '.join(written)}]"


@pytest.mark.parametrize("capacity", [RESERVATION, BLOCK, GROUP])
def test_reserved_capacity_without_any_zone_is_a_warning(capacity: str):
    (problem,) = problems(RULE, queues(queue(capacity)))
    assert (problem.path, problem.severity) == (("queues", 0, "capacity"), "warning")


def test_a_zone_of_the_network_or_of_the_queue_is_enough():
    assert paths(RULE, NETWORK + queues(queue(RESERVATION))) == []
    assert paths(RULE, queues(queue(RESERVATION, ", availability_zone: us-east-2a"))) == []


def test_capacity_that_nobody_reserved_may_come_from_anywhere():
    assert paths(RULE, queues(queue("on-demand"), queue("spot", name="r"))) == []


def test_subnets_that_exist_have_their_zones():
    assert paths(RULE, EXISTING % "" + queues(queue(RESERVATION))) == []
    assert paths(RULE, queues(queue(RESERVATION, ", subnet: subnet-0123456789abcdef0"))) == []


def test_several_existing_subnets_are_found_with_the_one_to_name():
    (problem,) = problems(RULE, EXISTING % ", subnet-0123456789abcdef1" + queues(queue(RESERVATION)))
    assert (problem.path, problem.severity) == (("queues", 0, "subnet"), None)
    assert problem.remedy is not None
    assert problem.remedy.endswith("such as subnet: subnet-0123456789abcdef0")


def test_a_queue_that_names_one_of_several_existing_subnets_is_fine():
    part = queues(queue(RESERVATION, ", subnet: subnet-0123456789abcdef1"))
    assert paths(RULE, EXISTING % ", subnet-0123456789abcdef1" + part) == []


def test_several_zones_for_one_reservation_are_an_error():
    (problem,) = problems(RULE, queues(queue(RESERVATION, ", availability_zone: [us-east-2a, us-east-2b]")))
    assert (problem.path, problem.severity) == (("queues", 0, "availability_zone"), None)


def test_one_zone_named_twice_is_one_zone():
    assert paths(RULE, queues(queue(RESERVATION, ", availability_zone: [us-east-2a, us-east-2a]"))) == []


def test_a_group_of_reservations_may_reach_over_zones():
    assert paths(RULE, queues(queue(GROUP, ", availability_zone: [us-east-2a, us-east-2b]"))) == []


def test_one_reservation_in_two_zones_is_found_at_the_second_queue():
    first, second = queue(BLOCK), queue(BLOCK, ", availability_zone: us-east-2b", name="r")
    (problem,) = problems(RULE, NETWORK + queues(first, second))
    assert problem.path == ("queues", 1, "availability_zone")
    assert problem.message == "cr-0123456789abcdef0 is used in us-east-2a by queue 'q' and in us-east-2b by queue 'r'"


def test_two_queues_may_share_a_reservation_in_one_zone():
    assert paths(RULE, NETWORK + queues(queue(RESERVATION), queue(RESERVATION, name="r"))) == []


def test_two_reservations_may_lie_in_two_zones():
    other = "{reservation: cr-0123456789abcdef1}"
    second = queue(other, ", availability_zone: us-east-2b", name="r")
    assert paths(RULE, NETWORK + queues(queue(RESERVATION), second)) == []


def test_a_group_of_reservations_may_use_several_existing_subnets():
    assert paths(RULE, EXISTING % ", subnet-0123456789abcdef1" + queues(queue(GROUP))) == []


def test_several_reservations_are_named():
    part = "capacity: {reservations: [cr-0123456789abcdef0, cr-0123456789abcdef1]}"
    (problem,) = problems(RULE, f"queues: [{{name: q, instance_type: p5.48xlarge, {part}}}]")
    assert "uses cr-0123456789abcdef0, cr-0123456789abcdef1, and no zone" in problem.message
