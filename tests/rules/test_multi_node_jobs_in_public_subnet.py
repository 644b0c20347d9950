from tests.rules.found import paths

RULE = "multi-node-jobs-in-public-subnet"
SUBNET = "subnet-0123456789abcdef9"
SUBNETS = f"private_subnets: [subnet-0123456789abcdef0], public_subnets: [{SUBNET}]"
EXISTING = f"platform: batch\nnetwork: {{existing: {{vpc: vpc-0123456789abcdef0, {SUBNETS}}}}}\n"


def test_a_public_subnet_is_found():
    assert paths(RULE, "platform: batch\nqueues: [{name: q, instance_type: g5.xlarge, subnet: public}]") == [
        "queues[0].subnet"
    ]


def test_so_is_a_public_subnet_by_its_id():
    assert paths(RULE, f"{EXISTING}queues: [{{name: q, instance_type: g5.xlarge, subnet: {SUBNET}}}]") == [
        "queues[0].subnet"
    ]


def test_a_private_subnet_is_fine():
    assert paths(RULE, f"{EXISTING}queues: [{{name: q, instance_type: g5.xlarge}}]") == []


def test_on_parallelcluster_a_node_with_one_interface_may_stand_there():
    assert paths(RULE, "queues: [{name: q, instance_type: g5.xlarge, subnet: public}]") == []
