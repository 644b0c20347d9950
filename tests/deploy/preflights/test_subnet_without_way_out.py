from typing import Any

from tests.deploy.preflights.good import PRIVATE, PUBLIC, changed, found, problems, route_table, subnet
from tests.deploy.preflights.recorded import listing

PREFLIGHT = "subnet-without-way-out"
PATH = "network.existing.private_subnets[0]"
NO_INTERNET = changed("    security_groups:", "    security_groups:").replace(
    "access:\n", "  internet: none\naccess:\n"
)
NEEDED = ("s3", "dynamodb", "cloudformation", "ec2", "logs", "secretsmanager", "elasticloadbalancing", "autoscaling")

BATCH = f"""\
name: mnp
region: us-east-2
platform: batch
network:
  existing: {{vpc: vpc-0123456789abcdef0, private_subnets: [{PRIVATE}]}}
  internet: none
queues: [{{name: q, instance_type: p5.48xlarge, nodes: {{min: 0, max: 2}}}}]
"""


def routes(*tables: dict[str, Any]) -> dict[str, Any]:
    public = route_table("rtb-1", {"GatewayId": "igw-1"}, PUBLIC)
    return {"ec2.DescribeRouteTables": {"RouteTables": [public, *tables]}}


def endpoints(*services: str, tables: tuple[str, ...] = ("rtb-2",)) -> dict[str, Any]:
    made = [
        {"ServiceName": f"com.amazonaws.us-east-2.{service}", "State": "available", "RouteTableIds": list(tables),
         "VpcEndpointType": "Gateway" if service in ("s3", "dynamodb") else "Interface"} for service in services
    ]  # fmt: skip
    return {"ec2.DescribeVpcEndpoints": {"VpcEndpoints": made}}


def test_a_subnet_without_a_default_route_is_found():
    table = route_table("rtb-2", {}, PRIVATE)
    table["Routes"] = table["Routes"][:1]
    assert found(PREFLIGHT, answers=routes(table)) == [PATH]


def test_a_default_route_whose_target_is_gone_is_none():
    assert found(PREFLIGHT, answers=routes(route_table("rtb-2", {"NatGatewayId": "nat-1", "State": "blackhole"}))) == [
        PATH
    ]


def test_an_internet_gateway_serves_no_node_without_a_public_address():
    to_gateway = routes(route_table("rtb-2", {"GatewayId": "igw-1"}))
    (problem,) = problems(PREFLIGHT, answers=to_gateway)
    assert problem.message == (
        f"the default route of subnet {PRIVATE} leads to igw-1, and nodes there get no public address"
    )
    subnets = [subnet(PUBLIC), subnet(PRIVATE, MapPublicIpOnLaunch=True)]
    with_addresses = {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}
    assert found(PREFLIGHT, answers={**to_gateway, **with_addresses}) == []


def test_a_transit_gateway_may_lead_out():
    assert found(PREFLIGHT, answers=routes(route_table("rtb-2", {"TransitGatewayId": "tgw-1"}))) == []


def test_the_subnet_s_own_route_table_comes_before_the_main_one():
    tables = (route_table("rtb-2", {"NatGatewayId": "nat-1"}), route_table("rtb-3", {"GatewayId": "igw-1"}, PRIVATE))
    assert found(PREFLIGHT, answers=routes(*tables)) == [PATH]


def test_without_internet_every_service_needs_an_endpoint():
    (problem,) = problems(PREFLIGHT, NO_INTERNET, endpoints("s3", "ec2", "logs"))
    assert problem.message.endswith(
        "no endpoint for dynamodb, cloudformation, secretsmanager, elasticloadbalancing, autoscaling"
    )
    assert found(PREFLIGHT, NO_INTERNET, endpoints(*NEEDED)) == []


def test_a_gateway_endpoint_serves_only_the_route_tables_that_know_it():
    (problem,) = problems(PREFLIGHT, NO_INTERNET, endpoints(*NEEDED, tables=("rtb-1",)))
    assert problem.message.endswith("no endpoint for s3, dynamodb")


def test_a_proxy_is_a_way_out():
    spec = changed("\naccess:\n", "\n  http_proxy: http://proxy.example.com:3128\naccess:\n")
    assert found(PREFLIGHT, spec, {"ec2.DescribeRouteTables": {"RouteTables": []}}) == []


def test_a_head_node_with_an_address_of_its_own_may_stand_in_a_public_subnet_by_id():
    spec = changed("subnet: public, elastic_ip", f"subnet: {PUBLIC}, elastic_ip")
    assert found(PREFLIGHT, spec) == []
    subnets = [subnet(PUBLIC, MapPublicIpOnLaunch=False), subnet(PRIVATE)]
    answers = {"ec2.DescribeSubnets": listing("Subnets", subnets, subnet_id="SubnetId")}
    assert found(PREFLIGHT, spec, answers) == []
    without = changed(", elastic_ip: 203.0.113.7", "", spec)
    assert found(PREFLIGHT, without, answers) == ["head_node.subnet"]


def test_nodes_of_batch_need_the_endpoints_of_ecs_and_of_the_registry():
    needed = ("s3", "ecs", "ecs-agent", "ecs-telemetry", "ecr.api", "ecr.dkr", "logs")
    (problem,) = problems(PREFLIGHT, BATCH, endpoints("s3", "logs", "ecr.api"))
    assert problem.message.endswith("no endpoint for ecs, ecs-agent, ecs-telemetry, ecr.dkr")
    assert found(PREFLIGHT, BATCH, endpoints(*needed)) == []
