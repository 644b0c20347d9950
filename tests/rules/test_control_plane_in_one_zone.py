import pytest

from tests.rules.found import paths

RULE = "control-plane-in-one-zone"
EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [%s]}}"
ONE, TWO = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"

QUEUE_IN_C = "queues: [{name: q, instance_type: g5.xlarge, availability_zone: us-east-2c}]"


def on_eks(part: str) -> str:
    return f"platform: eks\n{part}"


@pytest.mark.parametrize(
    ("network", "path"),
    [
        ("availability_zone: us-east-2a", "network.availability_zone"),
        (
            "availability_zone: us-east-2a, secondary_availability_zone: us-east-2a",
            "network.secondary_availability_zone",
        ),
        ("availability_zone: us-east-2a, further_availability_zones: [us-east-2a]", "network.availability_zone"),
    ],
)
def test_one_zone_however_often_it_is_named_is_found(network: str, path: str):
    assert paths(RULE, on_eks(f"network: {{{network}}}")) == [path]


@pytest.mark.parametrize(
    "part",
    [
        "network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}",
        "network: {availability_zone: us-east-2a, further_availability_zones: [us-east-2c]}",
        f"network: {{availability_zone: us-east-2a}}\n{QUEUE_IN_C}",
        "network: {}",
    ],
)
def test_a_second_zone_wherever_it_is_named_is_fine(part: str):
    assert paths(RULE, on_eks(part)) == []


def test_an_existing_network_needs_two_private_subnets():
    place = "network.existing.private_subnets"
    assert paths(RULE, on_eks(EXISTING % ONE)) == [place]
    assert paths(RULE, on_eks(EXISTING % f"{ONE}, {ONE}")) == [place]
    assert paths(RULE, on_eks(EXISTING % f"{ONE}, {TWO}")) == []


def test_the_network_of_an_environment_and_other_platforms_are_not_judged():
    assert paths(RULE, on_eks("environment: shared\nnetwork: {availability_zone: us-east-2a}")) == []
    assert paths(RULE, "network: {availability_zone: us-east-2a}") == []
