from tests.rules.found import paths

RULE = "placement-group-with-capacity-block"

QUEUE = "queues: [{{name: q, instance_type: p5.48xlarge, capacity: {capacity}, placement_group: {placed}}}]"


def test_a_placement_group_with_a_capacity_block_is_found():
    part = QUEUE.format(capacity="{capacity_block: cr-0123456789abcdef0}", placed="true")
    assert paths(RULE, part) == ["queues[0].placement_group"]


def test_a_capacity_block_without_a_placement_group_is_fine():
    assert paths(RULE, QUEUE.format(capacity="{capacity_block: cr-0123456789abcdef0}", placed="false")) == []


def test_a_plain_reservation_is_another_rule_s_matter():
    assert paths(RULE, QUEUE.format(capacity="{reservation: cr-0123456789abcdef0}", placed="true")) == []
