import pytest

from tests.rules.found import paths, problems

RULE = "allocation-strategy-not-for-capacity"
QUEUE = "queues: [{{name: q, instance_types: [g5.12xlarge, g6.12xlarge], capacity: {capacity}, allocation_strategy: {how}}}]"  # noqa: E501
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"


@pytest.mark.parametrize(
    ("capacity", "how"),
    [
        ("on-demand", "capacity-optimized"),
        ("on-demand", "price-capacity-optimized"),
        (RESERVATION, "capacity-optimized-prioritized"),
        ("spot", "prioritized"),
        (BLOCK, "lowest-price"),
    ],
)
def test_what_the_capacity_does_not_have_is_found(capacity: str, how: str):
    assert paths(RULE, QUEUE.format(capacity=capacity, how=how)) == ["queues[0].allocation_strategy"]


@pytest.mark.parametrize(
    ("capacity", "how"),
    [
        ("on-demand", "lowest-price"),
        ("on-demand", "prioritized"),
        ("spot", "lowest-price"),
        ("spot", "price-capacity-optimized"),
        ("spot", "capacity-optimized-prioritized"),
    ],
)
def test_what_it_has_is_fine(capacity: str, how: str):
    assert paths(RULE, QUEUE.format(capacity=capacity, how=how)) == []


def test_the_remedy_names_what_can_be_chosen_if_anything():
    (problem,) = problems(RULE, QUEUE.format(capacity="on-demand", how="capacity-optimized"))
    assert problem.remedy == "choose lowest-price or prioritized"
    (problem,) = problems(RULE, QUEUE.format(capacity=BLOCK, how="lowest-price"))
    assert problem.remedy == "remove allocation_strategy"


def test_a_queue_without_a_strategy_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: g5.12xlarge, capacity: spot}]") == []


def test_other_platforms_have_strategies_of_their_own():
    assert paths(RULE, "platform: batch\n" + QUEUE.format(capacity="on-demand", how="capacity-optimized")) == []
