"""What people read who have stopped before the cluster."""

from __future__ import annotations

import pytest

from trainyard.api import deploy
from trainyard.checking.spec_file import FileFindings
from trainyard.deploy.deployment import DeploymentResult


@pytest.mark.parametrize(("file", "said"), [("-", True), ("cluster.yaml", False)])
def test_a_spec_from_standard_input_is_to_be_given_again(trainyard, monkeypatch, file, said):
    result = DeploymentResult((), stage="prepared")
    done = deploy.FileDeployment(FileFindings(file, None, ()), (), result, ("trainyard deploy SPEC",))
    monkeypatch.setattr(deploy, "deploy_file", lambda *_, **__: done)
    ran = trainyard("deploy", file, "--before-cluster")
    assert ran.status == 0
    assert "This goes on: trainyard deploy SPEC" in ran.out
    assert ("Go on with the same spec as a file; SPEC stands for it here." in ran.out) is said


def test_where_there_is_a_cluster_nothing_is_said_to_be_missing(trainyard, monkeypatch):
    done = deploy.FileDeployment(FileFindings("cluster.yaml", None, ()), (), DeploymentResult((), stage="deployed"))
    monkeypatch.setattr(deploy, "deploy_file", lambda *_, **__: done)
    assert "not made yet" not in trainyard("deploy", "cluster.yaml", "--before-cluster").out


def test_a_spec_from_standard_input_is_read_once(trainyard):
    spec = "kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
    result = trainyard("deploy", "-", "--before-cluster", standard_input=spec)
    assert result.status == 2
    assert "shared is an environment and has no cluster" in result.err
