import pytest

from tests.rules.documents.found import paths, template

RULE = "cloudformation-load-balancer-in-one-subnet"
PARAMETERS = "Parameters: {One: {Type: 'AWS::EC2::Subnet::Id'}, Several: {Type: 'List<AWS::EC2::Subnet::Id>'}}\n"


def balancer(subnets: str, more: str = "") -> str:
    return template(f"ElasticLoadBalancingV2::LoadBalancer {{Subnets: {subnets}, {more}}}", more=PARAMETERS)


@pytest.mark.parametrize("subnets", ["[subnet-1]", "[!Ref One]", "[!GetAtt Network.Subnet]"])
def test_one_subnet_is_found(subnets: str):
    assert paths(RULE, balancer(subnets)) == ["Resources.A.Properties.Subnets"]


@pytest.mark.parametrize(
    "subnets", ["[subnet-1, !Ref One]", "!Ref Several", "[!Ref Several]", "[!ImportValue a]", "[!If [a, b, c]]", "[]"]
)
def test_two_and_what_may_be_several_are_fine(subnets: str):
    assert paths(RULE, balancer(subnets)) == []


def test_a_network_load_balancer_may_have_one():
    assert paths(RULE, balancer("[subnet-1]", "Type: network")) == []
