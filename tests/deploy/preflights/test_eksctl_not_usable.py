import pytest

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import SPEC, programs
from trainyard.catalog.eks_limits import eks_limits
from trainyard.deploy.programs import DeploymentPrograms

PREFLIGHT = "eksctl-not-usable"


def test_one_that_is_new_enough_is_fine():
    assert problems(PREFLIGHT, SPEC, programs=programs()) == []


def test_a_missing_one_says_where_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (problem,) = problems(PREFLIGHT, SPEC, programs=DeploymentPrograms())
    assert (problem.path, problem.message) == (("platform",), "there is no program eksctl here")
    assert "https://docs.aws.amazon.com/eks/latest/eksctl/installation.html" in str(problem.remedy)


@pytest.mark.parametrize("version", ["0.204.0", "0.99.0"])
def test_one_that_does_not_know_the_keys_is_too_old(version):
    (problem,) = problems(PREFLIGHT, SPEC, programs=programs(version))
    assert problem.path == ("platform",)
    assert f"eksctl {version} is older than {eks_limits().oldest_eksctl}" in problem.message


def test_other_platforms_need_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert problems(PREFLIGHT, programs=DeploymentPrograms()) == []
