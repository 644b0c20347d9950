import pytest

from tests.rules.documents.found import paths, problems

RULE = "eksctl-endpoint-range-refused"


def test_private_ranges_are_found_one_by_one():
    (problem,) = problems(RULE, "vpc: {publicAccessCIDRs: [54.240.193.128/26, 10.1.0.128/27]}")
    assert problem.path == ("vpc", "publicAccessCIDRs", 1)
    assert "10.1.0.128/27" in problem.message


@pytest.mark.parametrize(
    "ranges", ["[54.240.193.128/26]", "[0.0.0.0/0, '::/0']", "[203.0.113.7/32]", "[nowhere, 3]", "10.0.0.0/8", ""]
)
def test_ranges_of_the_internet_and_what_are_none_are_left_alone(ranges: str):
    assert paths(RULE, f"vpc: {{publicAccessCIDRs: {ranges}}}") == []
