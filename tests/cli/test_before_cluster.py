"""What people read who have stopped before the cluster."""

from __future__ import annotations

import pytest

from trainyard.api.deploy import FileDeployment
from trainyard.checking.spec_file import FileFindings
from trainyard.cli.deploy import print_deployment
from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.record import Stage


def printed(capsys: pytest.CaptureFixture[str], file: str, stage: Stage, *commands: str) -> str:
    result = DeploymentResult((), stage=stage)
    print_deployment(FileDeployment(FileFindings(file, None, ()), (), result, commands), as_json=False)
    return capsys.readouterr().out


@pytest.mark.parametrize(("file", "told"), [("-", True), ("cluster.yaml", False)])
def test_a_spec_from_standard_input_is_to_be_given_again(capsys, file, told):
    out = printed(capsys, file, "prepared", "trainyard deploy SPEC")
    assert "This goes on: trainyard deploy SPEC" in out
    assert ("Go on with the same spec as a file; SPEC stands for it here." in out) is told


def test_where_there_is_a_cluster_nothing_is_said_to_be_missing(capsys):
    assert "not made yet" not in printed(capsys, "cluster.yaml", "deployed")


def test_a_spec_from_standard_input_is_read_once(trainyard):
    spec = "kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n"
    result = trainyard("deploy", "-", "--before-cluster", standard_input=spec)
    assert result.status == 2
    assert "shared is an environment and has no cluster" in result.err
