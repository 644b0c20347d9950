"""Stacks of AWS CloudFormation, as AWS describes them.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code, words
from trainyard.errors import TrainyardError

UNDER_REVIEW = "REVIEW_IN_PROGRESS"
OWN_CHANGE_SETS = "trainyard-"
"""What the names of our change sets begin with."""
# What ends an operation well.
GOOD = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"}


class StackState(NamedTuple):
    """A stack as AWS describes it."""

    name: str
    id: str
    status: str
    reason: str
    tags: Mapping[str, str]
    outputs: Mapping[str, str]

    @property
    def in_progress(self) -> bool:
        """Return whether AWS is still at work on it. A stack under review holds nothing and waits for us."""
        return self.status.endswith("_IN_PROGRESS") and self.status != UNDER_REVIEW

    @property
    def usable(self) -> bool:
        """Return whether it is whole: as its last template says, or as the one before."""
        return self.status in GOOD | {"UPDATE_ROLLBACK_COMPLETE"}


def find_stack(account: Account, name: str) -> StackState | None:
    """Return a stack by its name or id, None where there is none. A deleted one is found by its id only."""
    try:
        described = account.client("cloudformation").describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if code(error) == "ValidationError" and "does not exist" in words(error):
            return None
        raise account_error(error, account.region, f"look at stack {name}") from error
    state = _state(described)
    return state._replace(tags=_tags_under_review(account, name)) if state.status == UNDER_REVIEW else state


def _tags_under_review(account: Account, name: str) -> dict[str, str]:
    """Return the tags that a stack under review will have: it has none itself, our change set has them."""
    client = account.client("cloudformation")
    try:
        names = [one["ChangeSetName"] for one in client.list_change_sets(StackName=name)["Summaries"]]
        ours = [one for one in names if one.startswith(OWN_CHANGE_SETS)]
        return _tags(client.describe_change_set(StackName=name, ChangeSetName=ours[-1])) if ours else {}
    except ClientError as error:
        raise account_error(error, account.region, f"look at stack {name}") from error


def stacks_tagged(account: Account, tag: str, value: str) -> list[StackState]:
    """Return the stacks that carry a tag, in the order of their making."""
    return [stack for stack in all_stacks(account) if stack.tags.get(tag) == value]


def all_stacks(account: Account) -> list[StackState]:
    """Return every stack that is not inside another, in the order of their making."""
    pages = account.client("cloudformation").get_paginator("describe_stacks").paginate()
    try:
        found = [stack for page in pages for stack in page["Stacks"]]
    except ClientError as error:
        raise account_error(error, account.region, "list stacks") from error
    outer = [stack for stack in found if "ParentId" not in stack]
    return [_state(stack) for stack in sorted(outer, key=lambda stack: stack["CreationTime"])]


def _state(described: Mapping[str, Any]) -> StackState:
    outputs = {one["OutputKey"]: one["OutputValue"] for one in described.get("Outputs", ())}
    return StackState(
        described["StackName"],
        described["StackId"],
        described["StackStatus"],
        described.get("StackStatusReason") or "",
        _tags(described),
        outputs,
    )


def _tags(described: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def refuse_stuck(found: StackState) -> None:
    """Raise TrainyardError for a stack whose last update failed halfway: it runs, and only its owner can say how on.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-continueupdaterollback.html
    """
    if found.status in ("UPDATE_FAILED", "UPDATE_ROLLBACK_FAILED"):
        raise TrainyardError(
            f"stack {found.name} is {found.status}: {found.reason or 'see its events'}",
            where=found.name,
            hint=f"`aws cloudformation continue-update-rollback --stack-name {found.name}` brings it back to what it "
            "was; then run the command again",
        )
