from tests.rules.found import paths

RULE = "capacity-types-mixed"

QUEUE = "queues: [{{name: q, compute_resources: [{{instance_type: p5.48xlarge, capacity: {one}}}, {{instance_type: p4d.24xlarge, capacity: {other}}}]}}]"  # noqa: E501
RESERVATION = "{reservation: cr-0123456789abcdef0}"
BLOCK = "{capacity_block: cr-0123456789abcdef1}"


def test_spot_beside_on_demand_is_found():
    assert paths(RULE, QUEUE.format(one="on-demand", other="spot")) == ["queues[0].compute_resources"]


def test_a_capacity_block_beside_a_reservation_is_found():
    assert paths(RULE, QUEUE.format(one=RESERVATION, other=BLOCK)) == ["queues[0].compute_resources"]


def test_a_reservation_beside_on_demand_is_fine_because_both_are_launched_on_demand():
    assert paths(RULE, QUEUE.format(one=RESERVATION, other="on-demand")) == []


def test_other_platforms_have_no_capacity_type_of_a_queue():
    assert paths(RULE, "platform: batch\n" + QUEUE.format(one="on-demand", other="spot")) == []
