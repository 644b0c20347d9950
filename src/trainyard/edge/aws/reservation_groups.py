"""Resource groups of capacity reservations, made and removed.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import TrainyardError


def find_group(account: Account, name: str) -> tuple[str, dict[str, str]] | None:
    """Return the ARN and the tags of a group, None where there is none of this name."""
    client = account.client("resource-groups")
    try:
        arn: str = client.get_group(Group=name)["Group"]["GroupArn"]
        return arn, client.get_tags(Arn=arn)["Tags"]
    except ClientError as error:
        if code(error) == "NotFoundException":
            return None
        raise account_error(error, account.region, f"look at resource group {name}") from error


def create_group(account: Account, name: str, configuration: Sequence[Any], tags: dict[str, str]) -> str:
    """Make an empty group and return its ARN. One that a call made whose answer was lost is the same."""
    client = account.client("resource-groups")
    try:
        arn: str = client.create_group(Name=name, Configuration=list(configuration), Tags=tags)["Group"]["GroupArn"]
    except ClientError as error:
        there = find_group(account, name)
        if there is None or there[1] != tags:
            raise account_error(error, account.region, f"make resource group {name}") from error
        return there[0]
    return arn


def put_into_group(account: Account, name: str, reservations: Sequence[str], partition: str) -> None:
    """Put reservations into a group. Those that are in it stay.

    Raises TrainyardError where one of them cannot be put into it.
    """
    arn = f"arn:{partition}:ec2:{account.region}:{account.id}:capacity-reservation/"
    members = [arn + reservation for reservation in reservations]
    try:
        answer = account.client("resource-groups").group_resources(Group=name, ResourceArns=members)
    except ClientError as error:
        raise account_error(error, account.region, f"put reservations into group {name}") from error
    if failed := answer.get("Failed"):
        raise TrainyardError(
            f"{failed[0].get('ResourceArn')} cannot be put into group {name}: {failed[0].get('ErrorMessage')}",
            where=name,
            hint="see that the reservation is active and of this account",
        )


def delete_group(account: Account, name: str) -> None:
    """Delete a group. The reservations in it stay."""
    try:
        account.client("resource-groups").delete_group(Group=name)
    except ClientError as error:
        if code(error) != "NotFoundException":
            raise account_error(error, account.region, f"delete resource group {name}") from error


def groups_tagged(account: Account, tag: str, value: str) -> list[str]:
    """Return the names of the groups that carry a tag."""
    client = account.client("resource-groups")
    try:
        pages = client.get_paginator("list_groups").paginate()
        found = [one for page in pages for one in page.get("GroupIdentifiers", ())]
        return [one["GroupName"] for one in found if client.get_tags(Arn=one["GroupArn"])["Tags"].get(tag) == value]
    except ClientError as error:
        raise account_error(error, account.region, "list resource groups") from error
