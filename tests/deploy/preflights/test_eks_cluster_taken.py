from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import NONE, SPEC, programs, there
from tests.kubernetes.scripted_kubectl import ScriptedKubectl
from trainyard.deploy.programs import DeploymentPrograms
from trainyard.rules import Problem

PREFLIGHT = "eks-cluster-taken"


def found(answers: Mapping[str, Any], kubectl: ScriptedKubectl | None = None) -> list[Problem]:
    return problems(PREFLIGHT, SPEC, answers, programs=programs(kubectl=kubectl))


def test_a_name_that_nobody_has_is_fine():
    assert found(NONE) == []


def test_our_own_cluster_that_answers_is_fine():
    assert found(there()) == []


@pytest.mark.parametrize("owner", [None, "somebody-else"])
def test_a_cluster_of_somebody_else(owner):
    (problem,) = found(there(owner))
    assert problem.path == ("name",)
    assert problem.message == "account 123456789012 has an EKS cluster llm-p5 already, of somebody else"


def test_a_cluster_that_eksctl_has_not_made():
    (problem,) = found(there(made_by_eksctl=False))
    assert "exists without the stack eksctl-llm-p5-cluster" in problem.message


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("Unable to connect to the server: dial tcp: lookup x: no such host", ("eks", "endpoint")),
        ("error: You must be logged in to the server (Unauthorized)", ("eks", "administrators")),
    ],
)
def test_a_cluster_that_cannot_be_changed_from_here(said, path):
    kubectl = ScriptedKubectl()
    kubectl.api.refuses = said
    (problem,) = found(there(), kubectl)
    assert problem.path == path
    assert said in problem.message
    assert problem.remedy


@pytest.mark.parametrize("status", ["CREATING", "FAILED", "DELETING"])
def test_one_that_is_not_ready_is_not_asked(status):
    kubectl = ScriptedKubectl()
    assert found(there(status=status), kubectl) == []
    assert kubectl.asked == []


def test_other_platforms_have_none():
    assert problems(PREFLIGHT, answers=NONE, programs=programs()) == []


def test_a_kubectl_that_is_missing_is_told_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert problems(PREFLIGHT, SPEC, there(), programs=DeploymentPrograms()) == []
    (told,) = problems("kubectl-not-usable", SPEC, there(), programs=DeploymentPrograms())
    assert told.message == "there is no program kubectl here"
