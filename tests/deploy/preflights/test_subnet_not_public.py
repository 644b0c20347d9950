from typing import Any

from tests.deploy.preflights.good import ADDRESS, PRIVATE, PUBLIC, changed, found, problems, route_table, subnet
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "subnet-not-public"
PATH = "network.existing.public_subnets[0]"


def routes(target: dict[str, str]) -> dict[str, Any]:
    return {"ec2.DescribeRouteTables": {"RouteTables": [route_table("rtb-1", target)]}}


def test_a_public_subnet_behind_a_nat_gateway_is_found_once():
    (problem,) = problems(PREFLIGHT, answers=routes({"NatGatewayId": "nat-1"}))
    assert problem.message == f"subnet {PUBLIC} is not public: its default route leads to nat-1"


def test_a_public_subnet_without_a_default_route_is_found():
    answers: dict[str, Any] = {"ec2.DescribeRouteTables": {"RouteTables": []}}
    assert found(PREFLIGHT, answers=answers) == [PATH]


def test_a_head_node_without_a_public_address_is_found():
    subnets = [subnet(PUBLIC, MapPublicIpOnLaunch=False), subnet(PRIVATE)]
    answers = {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}
    without_login = changed("login_nodes: {count: 1, instance_type: m5.large, subnet: public}\n", "")
    assert found(PREFLIGHT, without_login, answers) == []
    without_address = changed(f", elastic_ip: {ADDRESS}", "", without_login)
    assert found(PREFLIGHT, without_address, answers) == [PATH]


def test_login_nodes_without_a_public_address_are_found():
    subnets = [subnet(PUBLIC, MapPublicIpOnLaunch=False), subnet(PRIVATE)]
    answers = {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}
    (problem,) = problems(PREFLIGHT, answers=answers)
    assert "gives login pool 'login' no public address" in problem.message
