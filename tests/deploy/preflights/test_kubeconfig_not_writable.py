from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.deploy.preflights.good import problems
from tests.deploy.preflights.on_eks import ARN, ENDPOINT, NONE, SPEC, programs, there
from trainyard.edge.kubernetes.user_kubeconfig import Context, add_context
from trainyard.rules import Problem

PREFLIGHT = "kubeconfig-not-writable"
CONTEXT = Context(ARN, "llm-p5", "us-east-2", ENDPOINT, "AAAA")


@pytest.fixture
def file(tmp_path, monkeypatch) -> Path:
    """A place for a kubeconfig, on a machine that has the AWS CLI."""
    aws = tmp_path / "bin" / "aws"
    aws.parent.mkdir()
    aws.touch(mode=0o700)
    monkeypatch.setenv("PATH", str(aws.parent))
    place: Path = tmp_path / ".kube" / "config"
    return place


def found(file: Path, answers: Mapping[str, Any] = NONE) -> list[Problem]:
    return problems(PREFLIGHT, SPEC, answers, programs=programs(kubeconfig=file))


def test_a_file_that_is_not_there_yet_is_fine(file):
    assert found(file) == []
    assert not file.parent.exists()


def test_a_read_only_file_is_found_before_anything_is_made(file):
    file.parent.mkdir()
    file.write_text("kind: Config\n")
    file.chmod(0o400)
    (problem,) = found(file)
    assert problem.path == ("platform",)
    assert problem.message == f"kubeconfig {file} cannot be used: it is read-only"
    assert "KUBECONFIG" in str(problem.remedy)


def test_an_entry_of_a_cluster_that_is_there_is_fine(file):
    add_context(file, CONTEXT)
    assert found(file, there()) == []


def test_an_entry_that_leads_elsewhere_is_found(file):
    add_context(file, CONTEXT._replace(server="https://old.eks.amazonaws.com"))
    for answers in (NONE, there()):
        (problem,) = found(file, answers)
        assert f"has an entry {ARN} already, which leads to https://old.eks.amazonaws.com" in problem.message
        assert f"kubectl config delete-context {ARN}" in str(problem.remedy)
    assert yaml.safe_load(file.read_text())["clusters"][0]["cluster"]["server"] == "https://old.eks.amazonaws.com"


def test_a_missing_aws_cli_is_only_a_note(file, monkeypatch):
    monkeypatch.setenv("PATH", str(file.parent))
    (problem,) = found(file)
    assert problem.severity == "info"


def test_other_platforms_write_none(file):
    assert problems(PREFLIGHT, answers=NONE, programs=programs(kubeconfig=file)) == []
