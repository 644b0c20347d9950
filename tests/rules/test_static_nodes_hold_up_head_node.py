import pytest

from tests.rules.found import paths, problems

RULE = "static-nodes-hold-up-head-node"
QUEUE = "queues: [{{name: q, instance_type: {type}, nodes: {nodes}, capacity: {capacity}}}]\ntimeouts: {{head_node_s: 2700}}"  # noqa: E501
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"
GROUP = "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}"


def queue(type_: str = "p5.48xlarge", nodes: str = "4", capacity: str = RESERVATION) -> str:
    return QUEUE.format(type=type_, nodes=nodes, capacity=capacity)


def test_reserved_nodes_that_always_run_are_noted_with_the_wait_and_the_way_around_it():
    (problem,) = problems(RULE, queue(nodes="{min: 2, max: 8}"))
    assert problem.path == ("queues", 0, "nodes")
    assert problem.message == "the head node waits up to 2,700 s for 2 × p5.48xlarge of its reservation"
    assert problem.remedy is not None
    assert "nodes: {min: 0, max: 8}" in problem.remedy


@pytest.mark.parametrize("capacity", [RESERVATION, GROUP])
def test_a_reservation_of_any_type_may_be_too_small(capacity: str):
    assert paths(RULE, queue("m5.8xlarge", capacity=capacity)) == ["queues[0].nodes"]


@pytest.mark.parametrize("capacity", ["on-demand", "spot"])
def test_types_that_aws_also_sells_by_the_block_are_scarce(capacity: str):
    assert paths(RULE, queue("p4d.24xlarge", capacity=capacity)) == ["queues[0].nodes"]
    assert paths(RULE, queue("g5.12xlarge", capacity=capacity)) == []


def test_nodes_of_a_capacity_block_are_not_waited_for():
    assert paths(RULE, queue(capacity=BLOCK)) == []


@pytest.mark.parametrize("nodes", ["1", "{min: 0, max: 8}", "{min: 1, max: 8}", "{min: 8, max: 4}"])
def test_nodes_that_start_when_needed_a_single_one_and_impossible_numbers_are_left_alone(nodes: str):
    assert paths(RULE, queue(nodes=nodes)) == []


def test_other_platforms_have_no_head_node():
    assert paths(RULE, "platform: batch\nqueues: [{name: q, instance_type: p5.48xlarge, nodes: 4}]") == []


def test_one_scarce_type_among_several_is_enough():
    part = "queues: [{name: q, instance_types: [g5.48xlarge, p4d.24xlarge], nodes: 4, capacity: on-demand}]"
    assert paths(RULE, part) == ["queues[0].nodes"]


@pytest.mark.parametrize(("capacity", "words"), [("on-demand", "on demand"), ("spot", "on spot"), (GROUP, "group")])
def test_the_message_says_where_the_nodes_come_from(capacity: str, words: str):
    (problem,) = problems(RULE, queue(capacity=capacity))
    assert problem.message.endswith(words)
