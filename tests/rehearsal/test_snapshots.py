"""Snapshots of the account's own, apart from those that AWS has behind its images."""

from __future__ import annotations

import pytest

from tests.rehearsal import cloud

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]


def test_a_snapshot_outlives_its_volume_and_is_in_the_inventory(account):
    ec2 = account.client("ec2")
    before = cloud.inventory(account)
    assert "EC2 snapshots" not in before
    volume = ec2.create_volume(AvailabilityZone="us-east-2a", Size=1)["VolumeId"]
    snapshot = ec2.create_snapshot(VolumeId=volume)["SnapshotId"]
    ec2.delete_volume(VolumeId=volume)
    assert cloud.inventory(account) == {**before, "EC2 snapshots": [snapshot]}
    ec2.delete_snapshot(SnapshotId=snapshot)
    assert cloud.inventory(account) == before


def test_snapshots_are_listed_by_owner(account):
    ec2 = account.client("ec2")
    assert ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"] == []
    everybodys = ec2.describe_snapshots()["Snapshots"]
    owner = everybodys[0]["OwnerId"]
    theirs = ec2.describe_snapshots(OwnerIds=[owner, "self"])["Snapshots"]
    assert theirs == [everybody for everybody in everybodys if everybody["OwnerId"] == owner]
    assert 0 < len(theirs) < len(everybodys)
