import pytest

from tests.rules.found import paths

RULE = "kubernetes-api-range-refused"


def part(*ranges: str, endpoint: str = "both", platform: str = "eks") -> str:
    eks = f"\neks: {{endpoint: {endpoint}}}" if platform == "eks" else ""
    return f"platform: {platform}\naccess: {{allow_from: [{', '.join(ranges)}]}}{eks}"


@pytest.mark.parametrize(
    "cidr", ["10.1.0.128/27", "192.168.0.0/16", "172.16.3.4/32", "100.64.0.0/10", "127.0.0.1/32", "224.0.0.0/4"]
)
def test_a_range_that_is_none_of_the_internet_is_found(cidr: str):
    assert paths(RULE, part("54.240.193.128/26", cidr)) == ["access.allow_from[1]"]


@pytest.mark.parametrize("cidr", ["54.240.193.128/26", "0.0.0.0/0", "8.0.0.0/8", "203.0.113.7/32"])
def test_a_range_of_the_internet_or_of_an_example_is_fine(cidr: str):
    assert paths(RULE, part(cidr)) == []


def test_a_private_endpoint_has_no_ranges():
    assert paths(RULE, part("10.0.0.0/8", endpoint="private")) == []


def test_other_platforms_may_be_reached_through_a_vpn():
    assert paths(RULE, part("10.0.0.0/8", platform="parallelcluster")) == []
