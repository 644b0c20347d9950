from tests.rules.found import paths, problems

RULE = "efa-across-zones"

EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}}\n"  # noqa: E501


def test_efa_nodes_in_two_zones_are_found():
    part = "queues: [{name: q, instance_type: p5.48xlarge, availability_zone: [us-east-2a, us-east-2b]}]"
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_efa_that_is_on_by_itself_counts():
    assert problems(
        RULE, "queues: [{name: q, instance_type: p5.48xlarge, availability_zone: [us-east-2a, us-east-2b]}]"
    )


def test_a_type_without_efa_may_spread():
    part = "queues: [{name: q, instance_type: m5.8xlarge, availability_zone: [us-east-2a, us-east-2b]}]"
    assert paths(RULE, part) == []


def test_efa_switched_off_may_spread():
    part = "queues: [{name: q, instance_type: p5.48xlarge, efa: false, availability_zone: [us-east-2a, us-east-2b]}]"
    assert paths(RULE, part) == []


def test_one_zone_named_twice_is_one_zone():
    part = "queues: [{name: q, instance_type: p5.48xlarge, availability_zone: [us-east-2a, us-east-2a]}]"
    assert paths(RULE, part) == []


def test_several_existing_subnets_are_found_with_the_one_to_name():
    (problem,) = problems(RULE, EXISTING + "queues: [{name: q, instance_type: p5.48xlarge}]")
    assert problem.path == ("queues", 0, "subnet")
    assert problem.remedy == "name the one subnet of this queue, such as subnet: subnet-0123456789abcdef0"


def test_a_placement_group_over_two_zones_is_found_also_without_efa():
    part = "queues: [{name: q, instance_type: m5.large, placement_group: true, availability_zone: [us-east-2a, us-east-2b]}]"  # noqa: E501
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_a_queue_that_names_its_subnet_is_fine():
    part = EXISTING + "queues: [{name: q, instance_type: p5.48xlarge, subnet: subnet-0123456789abcdef1}]"
    assert paths(RULE, part) == []


def test_one_of_several_types_with_efa_is_enough():
    part = "queues: [{name: q, instance_types: [m5.8xlarge, g5.8xlarge], availability_zone: [us-east-2a, us-east-2b]}]"
    assert paths(RULE, part) == ["queues[0].availability_zone"]


def test_one_existing_subnet_is_fine():
    one = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
    assert paths(RULE, one + "queues: [{name: q, instance_type: p5.48xlarge}]") == []
