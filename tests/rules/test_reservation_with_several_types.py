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
