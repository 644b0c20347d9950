from typing import Any

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import ENDPOINT, NONE, SPEC

PREFLIGHT = "kubernetes-version-not-offered"


def offered(*versions: str, there: str | None = None) -> dict[str, Any]:
    """Return the answers of an account whose cluster, if there is one, has a version."""
    cluster = {"name": "llm-p5", "arn": "arn", "status": "ACTIVE", "endpoint": ENDPOINT, "version": there}
    found = NONE if there is None else {"eks.DescribeCluster": {"cluster": cluster}}
    return {
        **found,
        "eks.DescribeClusterVersions": {"clusterVersions": [{"clusterVersion": version} for version in versions]},
    }


def test_a_version_that_eks_offers_is_fine():
    assert problems(PREFLIGHT, SPEC, offered("1.36", "1.35")) == []


def test_one_that_it_offers_no_more_or_not_yet_is_told_with_those_that_there_are():
    (problem,) = problems(PREFLIGHT, SPEC, offered("1.37", "1.9", "1.36"))
    assert problem.path == ("eks", "kubernetes_version")
    assert problem.message == "EKS offers no Kubernetes 1.35 in us-east-2: 1.9, 1.36, 1.37"


def test_a_region_without_any_says_so():
    (problem,) = problems(PREFLIGHT, SPEC, offered())
    assert problem.message.endswith("in us-east-2: none")


def test_a_cluster_that_has_the_version_keeps_it():
    assert problems(PREFLIGHT, SPEC, offered("1.36", there="1.35")) == []


def test_a_cluster_is_not_upgraded_to_one_that_is_not_offered():
    (problem,) = problems(PREFLIGHT, SPEC, offered("1.34", there="1.34"))
    assert "no Kubernetes 1.35" in problem.message


def test_other_platforms_have_no_version():
    assert problems(PREFLIGHT, answers=offered()) == []
