import pytest

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import SPEC, only_kubectl, programs
from trainyard.deploy.programs import DeploymentPrograms

PREFLIGHT = "kubectl-not-usable"


@pytest.mark.parametrize("version", ["v1.34.9", "v1.35.0", "v1.36.0-rc.1", "v1.35.4-dispatcher"])
def test_one_within_a_minor_version_is_fine(tmp_path, monkeypatch, version):
    only_kubectl(tmp_path, monkeypatch, version)
    assert problems(PREFLIGHT, SPEC, programs=DeploymentPrograms()) == []


@pytest.mark.parametrize("version", ["v1.33.9", "v1.37.0"])
def test_another_one_is_a_warning(tmp_path, monkeypatch, version):
    only_kubectl(tmp_path, monkeypatch, version)
    (problem,) = problems(PREFLIGHT, SPEC, programs=DeploymentPrograms())
    assert problem.severity == "warning"
    assert problem.message == f"kubectl {version} is more than 1 minor version from Kubernetes 1.35"
    assert problem.remedy == "install kubectl 1.35"


def test_a_missing_one_says_where_to_get_it(tmp_path, monkeypatch):
    only_kubectl(tmp_path, monkeypatch, None)
    (problem,) = problems(PREFLIGHT, SPEC, programs=DeploymentPrograms())
    assert (problem.severity, problem.message) == (None, "there is no program kubectl here")


def test_where_something_else_is_in_its_place_nothing_is_asked(tmp_path, monkeypatch):
    only_kubectl(tmp_path, monkeypatch, None)
    assert problems(PREFLIGHT, SPEC, programs=programs()) == []


def test_other_platforms_need_none(tmp_path, monkeypatch):
    only_kubectl(tmp_path, monkeypatch, None)
    assert problems(PREFLIGHT, programs=DeploymentPrograms()) == []
