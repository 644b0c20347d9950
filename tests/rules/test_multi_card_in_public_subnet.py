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
