import pytest

from tests.rules.found import paths, problems

RULE = "elastic-ip-in-private-subnet"
PRIVATE, PUBLIC, OTHER = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1", "subnet-0123456789abcdef2"
EXISTING = (
    f"network: {{existing: {{vpc: vpc-0123456789abcdef0, private_subnets: [{PRIVATE}], public_subnets: [{PUBLIC}]}}}}\n"
)


def test_private_is_the_default():
    (problem,) = problems(RULE, "head_node: {elastic_ip: true}")
    assert problem.message == "the head node stands in subnet private, where a new address leads nowhere"


def test_an_address_of_one_s_own_is_named():
    (problem,) = problems(RULE, "head_node: {elastic_ip: 203.0.113.7}")
    assert problem.message == "the head node stands in subnet private, where 203.0.113.7 leads nowhere"


def test_an_existing_network_says_which_of_its_subnets_are_private():
    assert paths(RULE, f"{EXISTING}head_node: {{subnet: {PRIVATE}, elastic_ip: true}}") == ["head_node.elastic_ip"]


@pytest.mark.parametrize("subnet", ["public", PUBLIC, OTHER])
def test_a_subnet_that_is_or_may_be_public_is_fine(subnet: str):
    assert paths(RULE, f"{EXISTING}head_node: {{subnet: {subnet}, elastic_ip: true}}") == []


def test_no_address_is_fine_anywhere():
    assert paths(RULE, "head_node: {subnet: private, elastic_ip: false}") == []
