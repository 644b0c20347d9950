import pytest

from tests.rules.found import paths, problems

RULE = "second-zone-missing"
ARN = "arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d"
PRIVATE = "private_subnets: [subnet-0123456789abcdef0]"


def part(network: str, mode: str = "self-hosting") -> str:
    certificate = f", certificate: '{ARN}'" if mode == "self-hosting" else ""
    return f"network: {{{network}}}\nmonitoring: {{mode: {mode}{certificate}}}"


def test_without_a_certificate_there_is_no_load_balancer():
    assert paths(RULE, "network: {availability_zone: us-east-2a}\nmonitoring: {mode: self-hosting}") == []


def existing(*public: str) -> str:
    return f"existing: {{vpc: vpc-0123456789abcdef0, {PRIVATE}, public_subnets: [{', '.join(public)}]}}"


@pytest.mark.parametrize("network", ["", "availability_zone: us-east-2a"])
def test_a_network_to_be_made_needs_a_second_zone(network: str):
    assert paths(RULE, part(network)) == ["network.secondary_availability_zone"]


def test_the_same_zone_twice_is_one_zone():
    network = "availability_zone: us-east-2a, secondary_availability_zone: us-east-2a"
    (problem,) = problems(RULE, part(network))
    assert problem.message == "the second zone is the first one again: us-east-2a"


def test_a_second_zone_beside_one_that_aws_chooses_is_left_alone():
    assert paths(RULE, part("secondary_availability_zone: us-east-2b")) == []


@pytest.mark.parametrize(
    "public", [(), ("subnet-0123456789abcdef1",), ("subnet-0123456789abcdef1", "subnet-0123456789abcdef1")]
)
def test_an_existing_network_needs_two_public_subnets(public: tuple[str, ...]):
    assert paths(RULE, part(existing(*public))) == ["network.existing.public_subnets"]


def test_two_public_subnets_are_enough():
    assert paths(RULE, part(existing("subnet-0123456789abcdef1", "subnet-0123456789abcdef2"))) == []


@pytest.mark.parametrize("mode", ["none", "amp-only", "amp+amg"])
def test_other_modes_have_no_load_balancer(mode: str):
    assert paths(RULE, part("availability_zone: us-east-2a", mode)) == []


@pytest.mark.parametrize("platform", ["eks", "batch"])
def test_platforms_without_such_a_grafana_hear_of_that_alone(platform: str):
    assert paths(RULE, f"platform: {platform}\n{part('availability_zone: us-east-2a')}") == []


def test_an_environment_with_such_a_grafana_needs_two_zones():
    assert paths(RULE, f"kind: environment\n{part('availability_zone: us-east-2a')}") == [
        "network.secondary_availability_zone"
    ]
