"""The subnets of the network: their ranges, and which of them a spec asks for."""

from __future__ import annotations

import itertools
from ipaddress import ip_network

import pytest

from tests.render.cloudformation.templates import TEMPLATES
from tests.specs import spec_of
from trainyard.render.cloudformation.network import network_parameters

PARAMETERS = TEMPLATES["network"]["Parameters"]
ZONES = "availability_zone: us-east-2a"
SECOND = "secondary_availability_zone: us-east-2b"


def ranges(name: str) -> list[str]:
    return [one.strip() for one in str(PARAMETERS[name]["Default"]).split(",")]


SUBNETS = [(name, range_) for name in PARAMETERS if "Subnet" in name and "CidrBlock" in name for range_ in ranges(name)]


def test_no_two_subnets_share_an_address():
    networks = [ip_network(one) for _, one in SUBNETS]
    assert len(networks) == 10
    assert not [pair for pair in itertools.combinations(networks, 2) if pair[0].overlaps(pair[1])]


@pytest.mark.parametrize(("name", "range_"), SUBNETS)
def test_every_subnet_lies_in_a_range_of_the_vpc(name: str, range_: str):
    vpc = [ip_network(range_) for parameter in PARAMETERS if parameter.startswith("Vpc") and "Cidr" in parameter
           for range_ in ranges(parameter)]  # fmt: skip
    subnet = ip_network(range_)
    assert any(one.supernet_of(subnet) for one in vpc), name  # type: ignore[arg-type]  # all of version 4


@pytest.mark.parametrize(
    ("part", "made"),
    [
        (f"platform: eks\nnetwork: {{{ZONES}, {SECOND}}}", True),
        ("platform: eks", True),
        (f"platform: parallelcluster\nnetwork: {{{ZONES}}}", False),
        (
            (
                f"platform: eks\nnetwork: {{{ZONES}}}\n"
                "queues: [{name: q, instance_type: m5.large, nodes: 1, availability_zone: [us-east-2a, us-east-2c]}]"
            ),
            False,
        ),
        (
            (
                "platform: eks\nnetwork: {existing: {vpc: vpc-0123456789abcdef0, "
                "private_subnets: [subnet-0123456789abcdef0, subnet-0123456789abcdef1]}}"
            ),
            False,
        ),
    ],
)
def test_the_control_plane_gets_a_subnet_where_nothing_else_lies_in_a_second_zone(part: str, made: bool):  # noqa: FBT001
    parameters = network_parameters(spec_of(part))
    assert (parameters.get("CreateControlPlaneSubnet") == "true") == made
    if made and SECOND in part:
        assert parameters["SecondarySubnetAZ"] == "us-east-2b"
