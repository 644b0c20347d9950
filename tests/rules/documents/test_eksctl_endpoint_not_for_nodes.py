import pytest

from tests.rules.documents.found import paths, problems

RULE = "eksctl-endpoint-not-for-nodes"


@pytest.mark.parametrize(
    ("vpc", "path", "severity"),
    [
        ("clusterEndpoints: {publicAccess: false}", "vpc.clusterEndpoints.publicAccess", "error"),
        ("clusterEndpoints: {publicAccess: false, privateAccess: true}", "vpc.clusterEndpoints.publicAccess", None),
        ("publicAccessCIDRs: [203.0.113.7/32]", "vpc.publicAccessCIDRs", None),
    ],
)
def test_an_endpoint_that_somebody_cannot_reach_is_found(vpc: str, path: str, severity: str | None):
    (problem,) = problems(RULE, f"vpc: {{{vpc}}}")
    assert ".".join(map(str, problem.path)) == path
    assert problem.severity == severity


@pytest.mark.parametrize(
    "vpc",
    [
        "publicAccessCIDRs: [203.0.113.7/32], clusterEndpoints: {privateAccess: true}",
        "clusterEndpoints: {publicAccess: true}",
        "publicAccessCIDRs: [0.0.0.0/0]",
    ],
)
def test_endpoints_that_nodes_reach_are_fine(vpc: str):
    assert paths(RULE, f"vpc: {{{vpc}}}") == []
