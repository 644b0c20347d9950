"""How far a deployment says that it has come, where it was to stop before the cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from moto.cloudformation.models import cloudformation_backends

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.api.deploy import deploy_file
from trainyard.deploy.deployment import deploy
from trainyard.deploy.record import read_record
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account
from trainyard.errors import InputError

TEMPLATE = json.dumps({"Resources": {"Topic": {"Type": "AWS::SNS::Topic"}}})


def plant_cluster(account: Account, status: str) -> None:
    stack_id = account.client("cloudformation").create_stack(StackName="llm", TemplateBody=TEMPLATE)["StackId"]
    cloudformation_backends[account.id][account.region].stacks[stack_id].status = status


@pytest.mark.parametrize(
    ("status", "stage"), [(None, "prepared"), ("CREATE_COMPLETE", "deployed"), ("CREATE_FAILED", "deploying")]
)
def test_it_is_prepared_only_where_no_cluster_is_there(account: Account, status: str | None, stage: str):
    if status is not None:
        plant_cluster(account, status)
    work = Work(account, "llm", spec_of("name: llm"), BUCKET, options=Options(before_cluster=True))
    done = deploy(work, "", steps=[])
    record = read_record(account, BUCKET, "llm")
    assert record is not None
    assert (done.stage, record.stage) == (stage, stage)


def test_an_environment_is_refused_before_anybody_is_asked_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("AWS_PROFILE", "nobody")  # whose account nobody could ask
    spec = tmp_path / "shared.yaml"
    spec.write_text("kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n")
    with pytest.raises(InputError, match="shared is an environment and has no cluster"):
        deploy_file(str(spec), options=Options(before_cluster=True))
