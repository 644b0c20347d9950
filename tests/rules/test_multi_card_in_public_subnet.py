from tests.rules.found import paths

RULE = "multi-card-in-public-subnet"

EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0], public_subnets: [subnet-0123456789abcdef1]}}\n"  # noqa: E501


def test_many_cards_in_a_public_subnet_are_found():
    assert paths(RULE, "queues: [{name: q, instance_type: p4d.24xlarge, subnet: public}]") == ["queues[0].subnet"]


def test_a_public_subnet_by_its_id_is_found():
    part = EXISTING + "queues: [{name: q, instance_type: p4d.24xlarge, subnet: subnet-0123456789abcdef1}]"
    assert paths(RULE, part) == ["queues[0].subnet"]


def test_efa_on_a_single_card_needs_two_interfaces_and_is_found_too():
    assert paths(RULE, "queues: [{name: q, instance_type: g5.48xlarge, subnet: public}]") == ["queues[0].subnet"]


def test_one_interface_in_a_public_subnet_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.8xlarge, subnet: public}]") == []
    assert paths(RULE, "queues: [{name: q, instance_type: g5.48xlarge, efa: false, subnet: public}]") == []


def test_a_private_subnet_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: p4d.24xlarge}]") == []


def test_of_several_types_the_one_with_the_fewest_interfaces_decides():
    part = "queues: [{name: q, instance_types: [%s], subnet: public, efa: false}]"
    assert paths(RULE, part % "g6e.48xlarge, g6e.12xlarge") == []
    assert paths(RULE, part % "g6e.48xlarge, g6e.24xlarge") == ["queues[0].subnet"]


def test_nothing_is_claimed_of_an_unknown_type():
    assert paths(RULE, "queues: [{name: q, instance_type: p9.48xlarge, subnet: public}]") == []
