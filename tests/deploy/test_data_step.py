"""What holds data stays unless it is to go, and what AWS refuses to delete keeps nothing else from going."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from trainyard.deploy.deployment import DeploymentResult
from trainyard.deploy.steps.data import Data
from trainyard.deploy.work import Options, Work
from trainyard.edge.aws.account import Account

TAGS = [{"Key": "trainyard:cluster", "Value": "llm"}]


def snapshot_and_volume(account: Account) -> tuple[str, str]:
    ec2 = account.client("ec2")
    marks = [{"ResourceType": "volume", "Tags": TAGS}]
    volume = ec2.create_volume(AvailabilityZone="us-east-2a", Size=10, TagSpecifications=marks)["VolumeId"]
    marks = [{"ResourceType": "snapshot", "Tags": TAGS}]
    return ec2.create_snapshot(VolumeId=volume, TagSpecifications=marks)["SnapshotId"], volume


def refuse_snapshots(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        answer = {"Error": {"Code": "InvalidSnapshot.InUse", "Message": "in use by ami-1"}}
        raise ClientError(answer, "DeleteSnapshot")

    monkeypatch.setattr(account.client("ec2"), "delete_snapshot", refuse)


def test_data_is_named_and_stays(work: Work):
    snapshot, volume = snapshot_and_volume(work.account)
    outcome = Data().undo(work)
    assert not outcome.changed
    assert work.kept == [f"EBS volume of 10 GiB {volume}", f"EBS snapshot of 10 GiB {snapshot}"]


def test_data_goes_where_that_is_asked_for(work: Work):
    snapshot_and_volume(work.account)
    outcome = Data().undo(replace(work, options=Options(delete_data=True)))
    assert (outcome.changed, outcome.detail) == (True, "2 deleted")
    assert Data().probe(work).state == "missing"


def test_what_aws_refuses_to_delete_is_told_as_a_failure_and_the_rest_goes(work: Work, monkeypatch: pytest.MonkeyPatch):
    snapshot, _ = snapshot_and_volume(work.account)
    refuse_snapshots(work.account, monkeypatch)
    deleting = replace(work, options=Options(delete_data=True))
    outcome = Data().undo(deleting)
    assert outcome.detail == "1 deleted, 1 kept because AWS refuses"
    assert deleting.refused == [f"EBS snapshot of 10 GiB {snapshot}, because AWS refuses to delete it: in use by ami-1"]
    assert not DeploymentResult((), (), tuple(deleting.refused)).ok
