from tests.rules.found import paths, problems

RULE = "capacity-block-not-fixed"
QUEUE = "queues: [{{name: q, instance_type: p5.48xlarge, nodes: {nodes}, capacity: {capacity}}}]"
BLOCK = "{capacity_block: cr-0123456789abcdef0}"


def test_a_range_on_a_capacity_block_is_found_with_the_number_to_write():
    (problem,) = problems(RULE, QUEUE.format(nodes="{min: 0, max: 8}", capacity=BLOCK))
    assert problem.path == ("queues", 0, "nodes")
    assert problem.remedy == "write nodes: 8, as many as the block holds"


def test_a_fixed_number_is_fine():
    assert paths(RULE, QUEUE.format(nodes="8", capacity=BLOCK)) == []
    assert paths(RULE, QUEUE.format(nodes="{min: 8, max: 8}", capacity=BLOCK)) == []


def test_a_range_on_a_reservation_is_fine():
    assert paths(RULE, QUEUE.format(nodes="{min: 0, max: 8}", capacity="{reservation: cr-0123456789abcdef0}")) == []
