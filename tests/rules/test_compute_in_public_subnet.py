from tests.rules.found import paths

RULE = "compute-in-public-subnet"

EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0], public_subnets: [subnet-0123456789abcdef1]}}\n"  # noqa: E501


def test_a_queue_in_a_public_subnet_is_found_by_kind_and_by_id():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.8xlarge, subnet: public}]") == ["queues[0].subnet"]
    part = EXISTING + "queues: [{name: q, instance_type: m5.8xlarge, subnet: subnet-0123456789abcdef1}]"
    assert paths(RULE, part) == ["queues[0].subnet"]


def test_a_private_subnet_is_fine():
    assert paths(RULE, "queues: [{name: q, instance_type: m5.8xlarge}]") == []
    part = EXISTING + "queues: [{name: q, instance_type: m5.8xlarge, subnet: subnet-0123456789abcdef0}]"
    assert paths(RULE, part) == []


def test_nodes_that_do_not_come_up_there_are_left_to_their_own_rule():
    assert paths(RULE, "queues: [{name: q, instance_type: p4d.24xlarge, subnet: public}]") == []


def test_each_queue_is_found_once_however_many_compute_resources_it_has():
    queue = (
        "{name: q, subnet: public, compute_resources: [{name: a, instance_type: m5.large}, "
        "{name: b, instance_type: m5.xlarge}]}"
    )
    assert paths(RULE, f"queues: [{queue}, {{name: r, instance_type: m5.large}}]") == ["queues[0].subnet"]
