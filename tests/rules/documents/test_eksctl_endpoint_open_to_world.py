import pytest

from tests.rules.documents.found import paths, problems

RULE = "eksctl-endpoint-open-to-world"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("vpc: {clusterEndpoints: {publicAccess: true}}", "vpc.clusterEndpoints.publicAccess"),
        ("vpc: {nat: {gateway: Single}}", "vpc"),
        ("vpc:", "vpc"),
    ],
)
def test_a_public_endpoint_without_ranges_is_remarked_where_it_would_be_written(part: str, path: str):
    (problem,) = problems(RULE, part)
    assert ".".join(map(str, problem.path)) == path
    assert problem.severity is None


def test_a_range_of_the_whole_world_is_a_warning():
    (problem,) = problems(RULE, "vpc: {publicAccessCIDRs: [203.0.113.7/32, 0.0.0.0/0]}")
    assert (problem.path, problem.severity) == (("vpc", "publicAccessCIDRs", 1), "warning")


@pytest.mark.parametrize(
    "part",
    [
        "vpc: {publicAccessCIDRs: [203.0.113.7/32]}",
        "vpc: {clusterEndpoints: {publicAccess: false, privateAccess: true}}",
        "vpc:\nprivateCluster: {enabled: true}",
    ],
)
def test_ranges_of_one_s_own_and_private_endpoints_are_fine(part: str):
    assert paths(RULE, part) == []
