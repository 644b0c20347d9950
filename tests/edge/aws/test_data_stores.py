"""What holds data is found by its tags alone, and what AWS refuses to delete is told apart from what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError
from moto.ec2.models import ec2_backends

from tests.edge.aws.in_memory import IMAGE, account_in_memory
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.data_stores import DataStore, NeededElsewhereError, await_deletions, data_stores, delete_data
from trainyard.errors import TrainyardError

OWN = {"trainyard:cluster": "llm"}
PAIRS = [{"Key": key, "Value": value} for key, value in OWN.items()]


@pytest.fixture
def account() -> Iterator[Account]:
    with account_in_memory() as made:
        yield made


def owns(tags: Mapping[str, str]) -> bool:
    return tags.get("trainyard:cluster") == "llm"


def found(account: Account) -> list[DataStore]:
    return data_stores(account, "llm", owns)


def refusing(client: Any, method: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> None:
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, method)

    monkeypatch.setattr(client, method, refuse)


def test_logs_are_found_by_their_tag_and_not_by_their_name(account):
    logs = account.client("logs")
    logs.create_log_group(logGroupName="/aws/parallelcluster/llm-202511210000")
    logs.create_log_group(logGroupName="/aws/parallelcluster/llm-202611210000", tags=OWN)
    logs.create_log_group(logGroupName="/aws/lambda/pcluster-CleanupResources-0a1b", tags=OWN)
    kept = found(account)
    assert [one.id for one in kept] == [
        "/aws/parallelcluster/llm-202611210000",
        "/aws/lambda/pcluster-CleanupResources-0a1b",
    ]
    for one in kept:
        delete_data(account, one)
    left = [log_group["logGroupName"] for log_group in logs.describe_log_groups()["logGroups"]]
    assert left == ["/aws/parallelcluster/llm-202511210000"]


def test_metrics_are_found_by_the_tag_of_their_workspace_and_deleted_with_it(account):
    amp = account.client("amp")
    amp.create_workspace(alias="llm", tags={"trainyard:cluster": "other"})
    own = amp.create_workspace(alias="llm", tags=OWN)["workspaceId"]
    (kept,) = found(account)
    assert str(kept) == f"Amazon Managed Prometheus workspace with its metrics {own}"
    delete_data(account, kept)
    assert found(account) == []
    assert len(amp.list_workspaces()["workspaces"]) == 1


def test_sizes_are_told(account):
    ec2 = account.client("ec2")
    marks = [{"ResourceType": "volume", "Tags": PAIRS}]
    volume = ec2.create_volume(AvailabilityZone="us-east-2a", Size=2048, TagSpecifications=marks)["VolumeId"]
    file_system = account.client("efs").create_file_system(CreationToken="a", Tags=PAIRS)["FileSystemId"]
    told = [str(one) for one in found(account)]
    assert told == [f"EFS file system of 0.0 GiB {file_system}", f"EBS volume of 2,048 GiB {volume}"]


def test_a_volume_that_goes_with_its_instance_is_not_kept(account):
    ec2 = account.client("ec2")
    marks = [{"ResourceType": "volume", "Tags": PAIRS}]
    sizes = {"/dev/sda1": 40, "/dev/sdf": 50}
    mappings = [{"DeviceName": device, "Ebs": {"VolumeSize": size}} for device, size in sizes.items()]
    asked = {"ImageId": IMAGE, "MinCount": 1, "MaxCount": 1, "InstanceType": "m5.large"}
    ec2.run_instances(**asked, TagSpecifications=marks, BlockDeviceMappings=mappings)
    for volume in ec2_backends[account.id][account.region].volumes.values():
        attachment: Any = volume.attachment
        attachment.delete_on_termination = volume.size == 40  # moto does not say it of its own accord
    assert [one.what for one in found(account)] == ["EBS volume of 50 GiB"]


@pytest.mark.parametrize("code", ["InvalidSnapshot.InUse", "InvalidParameterValue"])
def test_a_snapshot_that_an_image_or_a_backup_needs_is_told_apart(account, monkeypatch, code):
    refusing(account.client("ec2"), "delete_snapshot", code, monkeypatch)
    with pytest.raises(NeededElsewhereError, match="AWS refuses to delete it: no"):
        delete_data(account, DataStore("snapshot", "snap-1", "EBS snapshot of 1 GiB"))


def test_what_may_not_be_deleted_is_an_error_like_any_other(account, monkeypatch):
    refusing(account.client("ec2"), "delete_snapshot", "UnauthorizedOperation", monkeypatch)
    with pytest.raises(TrainyardError, match="could not delete EBS snapshot") as raised:
        delete_data(account, DataStore("snapshot", "snap-1", "EBS snapshot of 1 GiB"))
    assert not isinstance(raised.value, NeededElsewhereError)


def test_what_is_gone_already_is_no_error(account, monkeypatch):
    refusing(account.client("ec2"), "delete_snapshot", "InvalidSnapshot.NotFound", monkeypatch)
    delete_data(account, DataStore("snapshot", "snap-1", "EBS snapshot of 1 GiB"))


def test_a_file_system_that_is_being_deleted_is_waited_for_and_not_named(account, monkeypatch):
    fsx = account.client("fsx")
    made = fsx.create_file_system(
        FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=["subnet-0123456789abcdef0"], Tags=PAIRS
    )
    looks: list[str] = []
    described = fsx.describe_file_systems

    class Pages:
        def paginate(self) -> Iterator[Any]:
            yield {"FileSystems": [{**made["FileSystem"], "Lifecycle": "DELETING"}]}

    def later(**asked: Any) -> Any:
        looks.append(asked["FileSystemIds"][0])
        return described(**asked) if len(looks) < 3 else {"FileSystems": []}

    monkeypatch.setattr(fsx, "get_paginator", lambda _: Pages())
    monkeypatch.setattr(fsx, "describe_file_systems", later)
    assert found(account) == []
    await_deletions(account, owns)
    assert looks == [made["FileSystem"]["FileSystemId"]] * 3


def test_a_file_system_with_intelligent_tiering_has_no_size(account, monkeypatch):
    fsx = account.client("fsx")
    asked = {"FileSystemType": "LUSTRE", "SubnetIds": ["subnet-0123456789abcdef0"], "Tags": PAIRS}
    made = fsx.create_file_system(**asked, StorageType="INTELLIGENT_TIERING")

    class Pages:
        def paginate(self) -> Iterator[Any]:
            yield {"FileSystems": [{**made["FileSystem"], "Lifecycle": "AVAILABLE"}]}

    monkeypatch.setattr(fsx, "get_paginator", lambda _: Pages())
    assert [one.what for one in found(account)] == ["FSx for Lustre file system, as large as its files"]
