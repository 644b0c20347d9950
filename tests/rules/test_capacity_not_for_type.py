import pytest

from tests.rules.found import paths, problems

RULE = "capacity-not-for-type"
QUEUE = "queues: [{{name: q, {type}, capacity: {capacity}}}]"
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"


@pytest.mark.parametrize(
    ("type_", "capacity"), [("hpc6a.48xlarge", "spot"), ("g5.48xlarge", BLOCK), ("m5.8xlarge", BLOCK)]
)
def test_what_ec2_does_not_sell_is_found_with_what_it_does(type_: str, capacity: str):
    (problem,) = problems(RULE, QUEUE.format(type=f"instance_type: {type_}", capacity=capacity))
    assert problem.path == ("queues", 0, "capacity")
    assert problem.remedy is not None
    assert problem.remedy.startswith(f"AWS offers {type_} as on-demand")


@pytest.mark.parametrize(
    ("type_", "capacity"),
    [("p5.48xlarge", BLOCK), ("trn2.48xlarge", BLOCK), ("g5.48xlarge", "spot"), ("hpc6a.48xlarge", RESERVATION)],
)
def test_what_it_sells_is_fine(type_: str, capacity: str):
    assert paths(RULE, QUEUE.format(type=f"instance_type: {type_}", capacity=capacity)) == []


def test_each_of_several_types_is_looked_at_once():
    types = "instance_types: [p5.48xlarge, g5.48xlarge, g5.48xlarge]"
    (problem,) = problems(RULE, QUEUE.format(type=types, capacity=BLOCK))
    assert problem.message == "queue 'q' takes g5.48xlarge from capacity block"


@pytest.mark.parametrize("type_", ["p9.48xlarge", "p6e-gb200.36xlarge"])
def test_nothing_is_claimed_of_types_that_nobody_says_it_of(type_: str):
    assert paths(RULE, QUEUE.format(type=f"instance_type: {type_}", capacity="spot")) == []
