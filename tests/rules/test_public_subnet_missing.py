import pytest

from tests.rules.found import paths

RULE = "public-subnet-missing"
EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("head_node: {subnet: public}", "head_node.subnet"),
        ("login_nodes: {}", "login_nodes.subnet"),
        ("queues: [{name: q, instance_type: m5.large, subnet: public}]", "queues[0].subnet"),
    ],
)
def test_every_kind_of_node_that_asks_for_one_is_found(part: str, path: str):
    assert paths(RULE, EXISTING + part) == [path]


def test_private_subnets_and_ids_are_fine():
    assert paths(RULE, EXISTING + "login_nodes: {subnet: subnet-0123456789abcdef1}") == []
    assert paths(RULE, EXISTING + "login_nodes: {subnet: private}") == []


def test_a_network_of_the_cluster_s_own_has_public_subnets():
    assert paths(RULE, "login_nodes: {}") == []


def test_each_pool_of_login_nodes_is_looked_at():
    network = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}\n"
    pools = "login_nodes: [{name: a, subnet: private}, {name: b}]"
    assert paths(RULE, network + pools) == ["login_nodes[1].subnet"]
