"""Snapshots that CloudFormation makes of volumes when it deletes them. Nobody says whether they carry any tags.

https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from trainyard.edge.aws.account import Account


def volume_ids(account: Account, owns: Callable[[Mapping[str, str]], bool]) -> list[str]:
    """Return the ids of the volumes whose tags say that they are one's own."""
    pages = account.client("ec2").get_paginator("describe_volumes").paginate()
    volumes = [volume for page in pages for volume in page["Volumes"]]
    return [one["VolumeId"] for one in volumes if owns({tag["Key"]: tag["Value"] for tag in one.get("Tags", ())})]


def tag_snapshots(account: Account, volumes: Collection[str], tags: Mapping[str, str]) -> list[str]:
    """Tag the snapshots of volumes that may be gone by now, so that they are found again. Return their ids."""
    if not volumes:
        return []
    client = account.client("ec2")
    filters = [{"Name": "volume-id", "Values": sorted(volumes)}]
    pages = client.get_paginator("describe_snapshots").paginate(OwnerIds=["self"], Filters=filters)
    found = [one["SnapshotId"] for page in pages for one in page["Snapshots"]]
    if found:
        client.create_tags(Resources=found, Tags=[{"Key": key, "Value": value} for key, value in tags.items()])
    return found
