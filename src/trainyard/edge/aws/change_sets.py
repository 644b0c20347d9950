"""Change sets of AWS CloudFormation: what an update would do, before it is done.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code
from trainyard.edge.aws.stack_waiting import polls, too_long
from trainyard.edge.aws.stacks import OWN_CHANGE_SETS
from trainyard.errors import TrainyardError

# What an update must not take away or make anew: it holds data, or everything stands in it.
_KEPT_BY_UPDATES = {
    "AWS::APS::Workspace",
    "AWS::EC2::Subnet",
    "AWS::EC2::VPC",
    "AWS::ECR::Repository",
    "AWS::FSx::FileSystem",
    "AWS::Grafana::Workspace",
}


class StackRequest(NamedTuple):
    """What a stack should be."""

    name: str
    template: str
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    template_url: str | None = None
    """Where the template lies in S3, where it is too long for a request."""


def make_change_set(account: Account, request: StackRequest, *, fresh: bool) -> str | None:
    """Make a change set and return its id, None where it would change nothing.

    Its name is new each time: one that another call left is not executed by mistake, and goes when ours is.
    """
    client, name = account.client("cloudformation"), f"{OWN_CHANGE_SETS}{uuid.uuid4().hex}"
    try:
        made: str = client.create_change_set(
            StackName=request.name,
            ChangeSetName=name,
            ChangeSetType="CREATE" if fresh else "UPDATE",
            **_template(request),
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=name,
        )["Id"]
        for _ in polls(account):
            found = client.describe_change_set(StackName=request.name, ChangeSetName=made)
            if found["Status"] == "CREATE_COMPLETE":
                if not fresh:
                    _refuse_loss(account, request.name, made)
                return made
            if found["Status"] == "FAILED":
                _refuse_failed(account, request.name, made, found.get("StatusReason", ""))
                return None
    except ClientError as error:
        raise account_error(error, account.region, f"plan stack {request.name}") from error
    raise too_long(request.name)


def _template(request: StackRequest) -> dict[str, str]:
    return {"TemplateBody": request.template} if request.template_url is None else {"TemplateURL": request.template_url}


def _refuse_failed(account: Account, name: str, change_set: str, reason: str) -> None:
    """Remove a change set that failed. Raises TrainyardError unless all that is wrong with it is that it is empty."""
    account.client("cloudformation").delete_change_set(StackName=name, ChangeSetName=change_set)
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets-create.html
    if "didn't contain changes" not in reason and "No updates are to be performed" not in reason:
        raise TrainyardError(
            f"CloudFormation refuses to change stack {name}: {reason}", where=name, hint="put right what it says"
        )


def _refuse_loss(account: Account, name: str, change_set: str) -> None:
    """Raise TrainyardError where an update would remove or replace what holds data, or what everything stands in."""
    client = account.client("cloudformation")
    pages = client.get_paginator("describe_change_set").paginate(StackName=name, ChangeSetName=change_set)
    for change in (one["ResourceChange"] for page in pages for one in page["Changes"] if "ResourceChange" in one):
        lost = change["Action"] == "Remove" or change.get("Replacement") in ("True", "Conditional")
        if lost and change["ResourceType"] in _KEPT_BY_UPDATES:
            client.delete_change_set(StackName=name, ChangeSetName=change_set)
            what = "removed" if change["Action"] == "Remove" else "replaced by an empty one"
            raise TrainyardError(
                f"{change['LogicalResourceId']} ({change['ResourceType']}) of stack {name} would be {what}",
                where=name,
                hint="`trainyard plan` lists what cannot be changed later; put it back in the spec, or make a second "
                "cluster or environment under another name and move the data",
            )


def execute(account: Account, name: str, change_set: str) -> None:
    """Set a change set going, unless an earlier attempt has."""
    try:
        account.client("cloudformation").execute_change_set(StackName=name, ChangeSetName=change_set)
    except ClientError as error:
        # A first attempt whose answer was lost has set it going.
        if code(error) not in ("InvalidChangeSetStatus", "ChangeSetNotFound", "ChangeSetNotFoundException"):
            raise account_error(error, account.region, f"change stack {name}") from error
