from typing import Any

from tests.deploy.preflights.good import OWN_NETWORK, changed, found, problems

PREFLIGHT = "zone-not-available"


def zone(**of: Any) -> dict[str, Any]:
    made = {"ZoneName": "us-east-2a", "State": "available", "OptInStatus": "opt-in-not-required", **of}
    return {"ec2.DescribeAvailabilityZones": {"AvailabilityZones": [{"ZoneType": "availability-zone", **made}]}}


def test_a_zone_that_is_not_there_is_found_with_those_that_are():
    spec = changed("availability_zone: us-east-2a", "availability_zone: us-east-2f", OWN_NETWORK)
    (problem,) = problems(PREFLIGHT, spec)
    assert problem.path == ("network", "availability_zone")
    assert problem.remedy == "choose us-east-2a, us-east-2b, us-east-2c"


def test_the_second_zone_and_the_zones_of_queues_are_looked_at_too():
    further = "secondary_availability_zone: us-east-2e, further_availability_zones: [us-east-2b, us-east-2g]"
    spec = changed("us-east-2a}", f"us-east-2a, {further}}}", OWN_NETWORK)
    spec = changed("nodes:", "availability_zone: us-east-2d, nodes:", spec)
    assert found(PREFLIGHT, spec) == [
        "network.secondary_availability_zone", "network.further_availability_zones[1]", "queues[0].availability_zone",
    ]  # fmt: skip


def test_a_zone_that_is_switched_off_is_found():
    answers = zone(OptInStatus="not-opted-in", GroupName="us-east-2-chi-1")
    assert found(PREFLIGHT, OWN_NETWORK, answers) == ["network.availability_zone"]


def test_a_zone_that_is_impaired_is_found():
    assert found(PREFLIGHT, OWN_NETWORK, zone(State="impaired")) == ["network.availability_zone"]
    assert found(PREFLIGHT, OWN_NETWORK, zone()) == []
