import pytest

from tests.rules.found import paths, problems

RULE = "reservation-with-several-types"
QUEUE = "queues: [{{name: q, instance_types: [{types}], capacity: {capacity}}}]"
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"
GROUP = "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}"


@pytest.mark.parametrize("capacity", [RESERVATION, BLOCK])
def test_two_types_on_one_id_are_found(capacity: str):
    part = QUEUE.format(types="p5.48xlarge, p5e.48xlarge", capacity=capacity)
    assert paths(RULE, part) == ["queues[0].instance_types"]


def test_the_message_names_the_types():
    (problem,) = problems(RULE, QUEUE.format(types="p5.48xlarge, p5e.48xlarge", capacity=BLOCK))
    assert problem.message == "queue 'q' draws p5.48xlarge or p5e.48xlarge from one capacity block"


@pytest.mark.parametrize("capacity", ["on-demand", "spot", GROUP])
def test_capacity_of_any_type_may_have_several(capacity: str):
    assert paths(RULE, QUEUE.format(types="p5.48xlarge, p5e.48xlarge", capacity=capacity)) == []


def test_a_list_of_one_type_is_fine():
    assert paths(RULE, QUEUE.format(types="p5.48xlarge", capacity=RESERVATION)) == []
    assert paths(RULE, QUEUE.format(types="p5.48xlarge, p5.48xlarge", capacity=RESERVATION)) == []


def two_queues(first: str, second: str, capacity: str, other: str | None = None) -> str:
    return f"queues: [{{name: q, {first}, capacity: {capacity}}}, {{name: r, {second}, capacity: {other or capacity}}}]"


@pytest.mark.parametrize("capacity", [RESERVATION, BLOCK])
def test_one_id_for_two_types_in_two_queues_is_found_at_the_second(capacity: str):
    part = two_queues("instance_type: p5.48xlarge", "instance_type: p4d.24xlarge", capacity)
    (problem,) = problems(RULE, part)
    assert problem.path == ("queues", 1, "capacity")
    assert problem.message == (
        "queue 'q' takes p5.48xlarge from cr-0123456789abcdef0, and queue 'r' takes p4d.24xlarge"
    )


def test_two_compute_resources_are_compared_like_two_queues():
    resources = ", ".join(
        f"{{instance_type: {name}, capacity: {RESERVATION}}}" for name in ("p5.48xlarge", "p4d.24xlarge")
    )
    part = f"queues: [{{name: q, compute_resources: [{resources}]}}]"
    assert paths(RULE, part) == ["queues[0].compute_resources[1].capacity"]


def test_two_queues_may_share_a_reservation_of_their_type():
    assert paths(RULE, two_queues("instance_type: p5.48xlarge", "instance_type: p5.48xlarge", RESERVATION)) == []


def test_two_reservations_may_have_two_types():
    other = "{reservation: cr-0123456789abcdef1}"
    assert paths(RULE, two_queues("instance_type: a.b", "instance_type: c.d", RESERVATION, other)) == []


def test_a_group_of_reservations_may_have_several_types():
    assert paths(RULE, two_queues("instance_type: a.b", "instance_type: c.d", GROUP)) == []


def test_a_type_out_of_a_list_that_was_found_already_is_not_found_again():
    part = two_queues("instance_types: [p5.48xlarge, p5e.48xlarge]", "instance_type: p5e.48xlarge", RESERVATION)
    assert paths(RULE, part) == ["queues[0].instance_types"]
