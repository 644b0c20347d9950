import pytest

from tests.rules.found import paths

RULE = "security-groups-exceeded"


def with_groups(count: int, platform: str = "batch") -> str:
    groups = ", ".join(f"sg-0123456789abcdef{number}" for number in range(count))
    existing = (
        f"{{vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0], security_groups: [{groups}]}}"
    )
    return f"platform: {platform}\nnetwork: {{existing: {existing}}}"


@pytest.mark.parametrize(("count", "found"), [(4, []), (5, ["network.existing.security_groups[4]"])])
def test_the_fifth_group_beside_our_own_is_found(count: int, found: list[str]):
    assert paths(RULE, with_groups(count)) == found


def test_parallelcluster_takes_more():
    assert paths(RULE, with_groups(5, "parallelcluster")) == []
