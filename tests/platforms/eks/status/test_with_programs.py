"""The whole way: the user's kubectl is found on PATH, gets a kubeconfig of its own, and its answers become a status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes.programs import FakePrograms
from tests.operate.eks_cluster import UNREACHABLE, EksCluster
from trainyard.api.diagnose import diagnose_cluster
from trainyard.operate.status.status_query import status
from trainyard.platforms.eks.status.kubernetes_api import PART
from trainyard.platforms.eks.status.status_query import EksPlatformStatus

WELL = EksCluster()
pytestmark = pytest.mark.integration


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakePrograms]:
    with FakePrograms.of(tmp_path, WELL.account()) as made:
        made.api.objects += list(WELL.inside)
        made.api.kinds |= {"mpijobs", "pytorchjobs"}
        yield made.on_path(monkeypatch)


def test_kubectl_is_asked_with_a_kubeconfig_that_is_not_the_users(programs: FakePrograms):
    found = status("llm", WELL.account())
    assert (found.problem, found.unknown) == (None, {})
    assert isinstance(found.platform, EksPlatformStatus)
    assert found.platform.eks.ready == 3
    asked = [call for call in programs.calls if call.words[:1] != ["version"]]
    assert {one.words[-1] for one in asked} >= {"nodes", "pods", "mpijobs.kubeflow.org", "persistentvolumeclaims"}
    configs = [json.loads(one.kubeconfig or "{}") for one in asked]
    assert {config["clusters"][0]["cluster"]["server"] for config in configs} == {
        "https://abc.gr7.us-east-2.eks.amazonaws.com"
    }
    assert not any("token" in config["users"][0]["user"] for config in configs)


def test_without_kubectl_what_aws_says_is_told(programs: FakePrograms):
    programs.remove("kubectl")
    found = status("llm", WELL.account())
    assert found.up
    assert found.unknown == {PART: "there is no program kubectl here"}


def test_an_api_server_that_does_not_answer_leaves_the_rest_and_is_named(programs: FakePrograms):
    programs.api.refuses = UNREACHABLE
    found = status("llm", WELL.account())
    assert found.up
    assert "the Kubernetes API of llm cannot be reached" in found.unknown[PART]
    named = [one.why for one in diagnose_cluster("llm", WELL.account()).unread]
    assert any("cannot be reached" in one for one in named)
