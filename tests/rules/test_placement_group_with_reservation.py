from tests.rules.found import paths, problems

RULE = "placement-group-with-reservation"

QUEUE = "queues: [{{name: q, instance_type: p5.48xlarge, capacity: {capacity}, placement_group: {placed}}}]"
RESERVATION = "{reservation: cr-0123456789abcdef0}"
GROUP = "{reservation_group: 'arn:aws:resource-groups:us-east-2:123456789012:group/g'}"


def test_a_placement_group_with_a_reservation_is_found_at_the_placement_group():
    assert paths(RULE, QUEUE.format(capacity=RESERVATION, placed="true")) == ["queues[0].placement_group"]


def test_a_reservation_group_counts_too():
    (problem,) = problems(RULE, QUEUE.format(capacity=GROUP, placed="true"))
    assert "reservation group" in problem.message


def test_it_is_found_in_the_long_form_at_the_compute_resource():
    part = f"queues: [{{name: q, compute_resources: [{{instance_type: p5.48xlarge}}, {{instance_type: p5en.48xlarge, capacity: {RESERVATION}, placement_group: true}}]}}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].compute_resources[1].placement_group"]


def test_leaving_the_placement_group_to_the_default_is_fine():
    assert paths(RULE, f"queues: [{{name: q, instance_type: p5.48xlarge, capacity: {RESERVATION}}}]") == []


def test_a_placement_group_on_demand_is_fine():
    assert paths(RULE, QUEUE.format(capacity="on-demand", placed="true")) == []
