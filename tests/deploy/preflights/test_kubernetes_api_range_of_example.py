import pytest

from tests.deploy.preflights.good import found, problems
from tests.deploy.preflights.on_eks import SPEC

PREFLIGHT = "kubernetes-api-range-of-example"


def with_ranges(*ranges: str, endpoint: str = "both") -> str:
    spec = SPEC.replace('"1.35"', f'"1.35", endpoint: {endpoint}')
    return f"{spec}access: {{allow_from: [{', '.join(ranges)}]}}\n"


@pytest.mark.parametrize("cidr", ["192.0.2.0/24", "198.51.100.16/28", "203.0.113.7/32"])
def test_a_range_of_documentation_is_found_with_its_place(cidr: str):
    (problem,) = problems(PREFLIGHT, with_ranges("54.240.193.128/26", cidr))
    assert problem.path == ("access", "allow_from", 1)
    assert cidr in problem.message


def test_a_range_of_the_internet_is_fine():
    assert found(PREFLIGHT, with_ranges("54.240.193.128/26", "0.0.0.0/0")) == []


def test_a_private_endpoint_has_no_ranges():
    assert found(PREFLIGHT, with_ranges("203.0.113.7/32", endpoint="private")) == []


def test_other_platforms_take_it():
    assert found(PREFLIGHT) == []
