from tests.rules.found import paths

RULE = "public-subnet-despite-no-internet"


def test_nodes_in_a_public_subnet_are_found():
    part = """\
network: {internet: none}
head_node: {subnet: public}
queues: [{name: q, instance_type: m5.large, subnet: public}]
"""
    assert paths(RULE, part) == ["head_node.subnet", "queues[0].subnet"]


def test_login_pools_stand_there_by_default():
    part = "network: {internet: none}\nlogin_nodes: [{name: one}, {name: two, subnet: private}]"
    assert paths(RULE, part) == ["login_nodes[0].subnet"]


def test_a_subnet_that_is_named_by_its_id_may_be_closed():
    assert paths(RULE, "network: {internet: none}\nhead_node: {subnet: subnet-0123456789abcdef0}") == []


def test_public_subnets_are_fine_where_there_is_internet():
    assert paths(RULE, "head_node: {subnet: public}\nlogin_nodes: {count: 1}") == []
