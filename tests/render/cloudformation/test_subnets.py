"""The subnets of the network: their ranges, and which of them a spec asks for."""

from __future__ import annotations

import itertools
from ipaddress import ip_network

import pytest

from tests.each_case import each_case
from tests.render.cloudformation.templates import TEMPLATES
from tests.specs import spec_of
from trainyard.launch.network_ranges import DEFAULT_RANGES, network_ranges
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


def test_the_ranges_without_a_cidr_are_those_of_the_template():
    further = [str(one) for one in DEFAULT_RANGES.further]
    assert ranges("PrivateSubnetCidrBlocks") == further
    assert [*map(str, DEFAULT_RANGES.vpc)] == [*ranges("VpcCidrBlock"), *ranges("VpcSecondCidrBlock")]
    single = (DEFAULT_RANGES.public, DEFAULT_RANGES.second_zone, DEFAULT_RANGES.control_plane, DEFAULT_RANGES.private)
    names = ("Public", "Secondary", "ControlPlane", "PrimaryPrivate")
    assert [*map(str, single)] == [ranges(f"{name}SubnetCidrBlock")[0] for name in names]


@each_case("keys", ["cidr: 10.20.0.0/16", "cidr: 172.20.2.0/23", "cidr: 10.9.0.0/18, private_prefix: 22",
                    "cidr: 10.20.0.0/16, private_prefix: 28, other_prefix: 28"])  # fmt: skip
def test_subnets_of_a_cidr_lie_in_it_and_share_no_address(keys: str):
    made = network_ranges(spec_of(f"network: {{{keys}}}").network)
    subnets = [made.public, made.second_zone, made.control_plane, made.private, *made.further]
    assert len(subnets) == 10
    assert all(subnet.subnet_of(made.vpc[0]) and subnet.prefixlen <= 28 for subnet in subnets)
    assert not [pair for pair in itertools.combinations(subnets, 2) if pair[0].overlaps(pair[1])]


def test_a_cidr_reaches_every_range_of_the_template():
    written = network_parameters(spec_of("network: {cidr: 10.20.0.0/16, private_prefix: 18}"))
    assert {name for name in PARAMETERS if "Cidr" in name} <= set(written)
    assert (written["PrimaryPrivateSubnetCidrBlock"], written["VpcSecondCidrBlock"]) == ("10.20.192.0/18", "")


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
