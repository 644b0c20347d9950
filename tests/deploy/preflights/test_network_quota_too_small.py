from typing import Any

import pytest

from tests.deploy.preflights.good import OWN_NETWORK, VPC, changed, found, problems, stack
from tests.deploy.preflights.recorded import Refusal

PREFLIGHT = "network-quota-too-small"
SUBNETS = [{"SubnetId": f"subnet-{number}", "AvailabilityZone": "us-east-2a"} for number in range(5)]
FULL: dict[str, dict[str, Any]] = {
    "VPC": {"ec2.DescribeVpcs": {"Vpcs": [{"VpcId": f"vpc-{number}"} for number in range(5)]}},
    "internet gateway": {
        "ec2.DescribeInternetGateways": {"InternetGateways": [{"InternetGatewayId": f"igw-{n}"} for n in range(5)]}
    },
    "NAT gateway": {
        "ec2.DescribeNatGateways": {"NatGateways": [{"SubnetId": one["SubnetId"]} for one in SUBNETS]},
        "ec2.DescribeSubnets": {"Subnets": SUBNETS},
    },
    "Elastic IP address": {
        "ec2.DescribeAddresses": {"Addresses": [{"PublicIp": f"203.0.113.{number}"} for number in range(5)]}
    },
}


@pytest.mark.parametrize("what", FULL)
def test_what_the_account_has_no_room_for_is_found(what):
    (problem,) = problems(PREFLIGHT, OWN_NETWORK, FULL[what])
    assert problem.message == f"1 more {what} would be needed: the account has 5 of 5"
    assert problem.path[0] == "network"


def test_gateways_in_other_zones_do_not_count():
    elsewhere = [{**one, "AvailabilityZone": "us-east-2b"} for one in SUBNETS]
    assert found(PREFLIGHT, OWN_NETWORK, {**FULL["NAT gateway"], "ec2.DescribeSubnets": {"Subnets": elsewhere}}) == []


def test_a_new_address_of_the_head_node_counts():
    spec = OWN_NETWORK + "head_node: {subnet: public, elastic_ip: true}\n"
    assert found(PREFLIGHT, spec, FULL["Elastic IP address"]) == ["head_node.elastic_ip"]


def test_without_internet_there_are_no_nat_gateway_and_no_address():
    spec = changed("us-east-2a}", "us-east-2a, internet: none}", OWN_NETWORK)
    assert found(PREFLIGHT, spec, {**FULL["NAT gateway"], **FULL["Elastic IP address"]}) == []


def test_a_network_that_exists_needs_no_more():
    everything = {key: answer for answers in FULL.values() for key, answer in answers.items()}
    assert found(PREFLIGHT, OWN_NETWORK, everything, outputs={"VpcId": VPC}) == []
    made = {"cloudformation.DescribeStacks": stack("llm-p5-network")}
    assert found(PREFLIGHT, OWN_NETWORK, {**everything, **made}) == []


def test_quotas_that_nobody_knows_are_no_problem():
    none = Refusal("NoSuchResourceException")
    answers = {"service-quotas.GetServiceQuota": none, "service-quotas.GetAWSDefaultServiceQuota": none}
    assert found(PREFLIGHT, OWN_NETWORK, {**FULL["VPC"], **answers}) == []
