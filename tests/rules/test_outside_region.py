from tests.rules.found import paths

RULE = "outside-region"


def test_a_zone_of_another_region_is_found():
    assert paths(RULE, "region: us-east-2\nnetwork: {availability_zone: us-west-2a}") == ["network.availability_zone"]


def test_the_zones_of_queues_are_checked_too():
    part = (
        "region: us-east-2\nqueues: [{name: q, instance_type: m5.large, availability_zone: [us-east-2a, us-east-1a]}]"
    )
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_a_region_whose_name_only_begins_alike_is_another_region():
    assert paths(RULE, "region: ap-south-1\nnetwork: {availability_zone: ap-southeast-1a}") == [
        "network.availability_zone"
    ]


def test_a_local_zone_belongs_to_its_region():
    assert paths(RULE, "region: us-west-2\nnetwork: {availability_zone: us-west-2-lax-1a}") == []


def test_a_reservation_group_of_another_region_is_found():
    arn = "arn:aws:resource-groups:sa-east-1:123456789012:group/g"
    queue = f"{{name: q, instance_type: p5.48xlarge, capacity: {{reservation_group: '{arn}'}}}}"
    part = f"region: us-east-2\nqueues: [{queue}]"
    assert paths(RULE, part) == ["queues[0].capacity.reservation_group"]
