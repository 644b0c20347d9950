"""How far a deployment says that it has come, where it was to stop before the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deploy.conftest import BUCKET
from tests.specs import spec_of
from trainyard.api import deploy as api
from trainyard.deploy import deployment
from trainyard.deploy.record import Stage, read_record
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState
from trainyard.errors import InputError
from trainyard.platforms.parallelcluster.deployment.cluster import ClusterStep


@pytest.mark.parametrize(
    ("status", "stage"), [(None, "prepared"), ("CREATE_COMPLETE", "deployed"), ("CREATE_FAILED", "deploying")]
)
def test_it_is_prepared_only_where_no_cluster_is_there(
    account: Account, monkeypatch: pytest.MonkeyPatch, status: str | None, stage: str
):
    there = None if status is None else StackState("llm", "id", status, "", {}, {})
    monkeypatch.setattr(deployment, "find_stack", lambda *_: there)
    monkeypatch.setattr(deployment, "steps_to_deploy", lambda _: [ClusterStep()])
    work = Work(account, "llm", spec_of("name: llm"), BUCKET, options=Options(before_cluster=True))
    done = deployment.deploy(work, "")
    record = read_record(account, BUCKET, "llm")
    assert record is not None
    assert (done.stage, record.stage) == (stage, stage)


@pytest.mark.parametrize(("stage", "count"), [("prepared", 1), ("deployed", 0), ("deploying", 0), (None, 0)])
def test_how_to_go_on_is_said_only_where_no_cluster_is_there(
    account: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stage: Stage | None, count: int
):
    spec = tmp_path / "cluster.yaml"
    spec.write_text(
        "name: llm\nregion: us-east-2\nplatform: parallelcluster\nqueues: [{name: q, instance_type: m5.large}]\n"
    )
    monkeypatch.setattr(api, "account", lambda *_: account)
    monkeypatch.setattr(api, "preflight_findings", lambda *_: ())
    monkeypatch.setattr(api, "deploy", lambda *_: deployment.DeploymentResult((), stage=stage))
    done = api.deploy_file(str(spec), profile="team", options=Options(before_cluster=True))
    assert done.next == (f"trainyard deploy {spec} --profile team",) * count


def test_an_environment_is_refused_before_anybody_is_asked_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    spec = tmp_path / "shared.yaml"
    spec.write_text("kind: environment\nname: shared\nregion: us-east-2\nnetwork: {availability_zone: us-east-2a}\n")
    asked: list[object] = []
    monkeypatch.setattr(api, "account", lambda *said: asked.append(said))
    with pytest.raises(InputError, match="shared is an environment and has no cluster"):
        api.deploy_file(str(spec), options=Options(before_cluster=True))
    assert asked == []
