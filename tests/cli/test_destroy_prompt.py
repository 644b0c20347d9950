"""Who is asked whether a cluster may go reads where it is, what stays, and what nothing brings back."""

from __future__ import annotations

import os
import pty
from collections.abc import Iterator

import pytest

from tests import program
from tests.rehearsal.account_copies import empty_account
from trainyard.deploy.record import Deployment, key, write_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

REGION = "us-east-2"


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with empty_account() as started:
        yield started


@pytest.fixture
def volume(account: Account) -> Iterator[str]:
    """A volume that a cluster has left."""
    ec2 = account.client("ec2")
    marks = [{"ResourceType": "volume", "Tags": [{"Key": "trainyard:cluster", "Value": "llm"}]}]
    made: str = ec2.create_volume(AvailabilityZone=f"{REGION}a", Size=20, TagSpecifications=marks)["VolumeId"]
    yield made
    if any(one["VolumeId"] == made for one in ec2.describe_volumes()["Volumes"]):
        ec2.delete_volume(VolumeId=made)


def destroy(account: Account, typed: str, *options: str) -> tuple[int, str]:
    """Run it at a terminal at which somebody types this; return its exit status and what it said."""
    master, terminal = pty.openpty()
    os.write(master, f"{typed}\n".encode())
    ran = program.run("destroy", "llm", "--region", REGION, *options, variables=account.variables(), stdin=terminal)
    os.close(terminal)
    os.close(master)
    return ran.status, ran.err + ran.out


@pytest.mark.parametrize(("options", "verb"), [((), "keeps"), (("--delete-data",), "deletes")])
def test_account_and_data_are_shown_before_anything_is_asked(account: Account, volume: str, options, verb):
    status, said = destroy(account, "llm-2", *options)
    assert status == 2
    assert "'llm-2' is not 'llm'; nothing was removed" in said
    shown = said[: said.index("type its name")]
    assert f"account {account.id}, region {REGION}" in shown
    assert f"{verb:<8} EBS volume of 20 GiB {volume}" in shown
    assert "loses    root volumes of all nodes, with /home on the head node" in shown
    assert account.client("ec2").describe_volumes(VolumeIds=[volume])["Volumes"]


def test_whoever_types_the_name_is_told_how_to_delete_what_was_kept(account: Account, volume: str):
    status, said = destroy(account, "llm")
    assert status == 0
    assert f"kept: EBS volume of 20 GiB {volume}" in said
    assert f"`trainyard destroy llm --region {REGION} --delete-data` deletes what was kept" in said
    status, said = destroy(account, "llm", "--bucket", "ml-assets")
    assert f"`trainyard destroy llm --region {REGION} --bucket ml-assets --delete-data`" in said
    status, said = destroy(account, "llm", "--delete-data")
    assert (status, "kept" in said) == (0, False)


def test_data_that_another_spec_names_is_not_deleted(account: Account, volume: str):
    bucket = s3.own_bucket(account)
    s3.make_bucket(account, bucket)
    text = f"file_systems: [{{mount: /data, ebs: {{id: {volume}}}}}]\n"
    other = Deployment("other", REGION, "deployed", "0", None, text, None, "2026-11-22T00:00:00Z")
    write_record(account, bucket, other)
    command = ("destroy", "llm", "--region", REGION, "--delete-data", "--yes")
    ran = program.run(*command, variables=account.variables())
    assert ran.status == 1
    assert f"data of llm is used: EBS volume of 20 GiB {volume} by other" in ran.err
    assert account.client("ec2").describe_volumes(VolumeIds=[volume])["Volumes"]
    s3.delete(account, bucket, key("other"))
    assert program.run(*command, variables=account.variables()).status == 0
