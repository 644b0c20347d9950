from tests.rules.found import paths

RULE = "spot-with-reservation"

QUEUE = "queues: [{{name: q, compute_resources: [{{instance_type: p5.48xlarge, capacity: {one}}}, {{instance_type: p4d.24xlarge, capacity: {other}}}]}}]"  # noqa: E501


def test_spot_beside_a_reservation_is_found_at_the_spot_nodes():
    part = QUEUE.format(one="{reservation: cr-0123456789abcdef0}", other="spot")
    assert paths(RULE, part) == ["queues[0].compute_resources[1].capacity"]


def test_spot_beside_on_demand_is_another_rule_s_matter():
    assert paths(RULE, QUEUE.format(one="on-demand", other="spot")) == []


def test_spot_and_a_reservation_in_different_queues_are_fine():
    part = "queues: [{name: a, instance_type: p5.48xlarge, capacity: {reservation: cr-0123456789abcdef0}}, {name: b, instance_type: p4d.24xlarge, capacity: spot}]"  # noqa: E501
    assert paths(RULE, part) == []
