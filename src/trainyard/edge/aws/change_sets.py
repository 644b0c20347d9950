"""Change sets of AWS CloudFormation: what an operation would do to each resource of a stack, before it is done.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.aws.stacks import OWN_CHANGE_SETS, polls, stack_template
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, word_or_quoted
from trainyard.redaction.secrets import member_without_secrets

Leaves = Literal["nothing", "snapshot", "resource"]
"""What stays of a resource that goes, by its deletion policy: a snapshot, or itself outside of any stack."""
Fate = Literal["added", "changed", "replaced", "deleted", "left behind"]
"""What becomes of a resource. Replaced: a new one takes its place, and the former is deleted or left behind."""
# Where AWS cannot tell beforehand, it may come to that: Conditional of Replacement, Dynamic of Action.
_UNKNOWN = ("Conditional", "Dynamic")
_LONGEST_VALUE = 60
_GONE = ("ChangeSetNotFound", "ChangeSetNotFoundException")


class StackRequest(NamedTuple):
    """What a stack should be."""

    name: str
    template: str
    parameters: Mapping[str, str]
    tags: Mapping[str, str]
    capabilities: tuple[str, ...] = ()
    template_url: str | None = None
    """Where the template lies in S3, where it is too long for a request."""


class PropertyChange(NamedTuple):
    """One property of a resource that is changed in place, with its values as text where AWS says them.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceTargetDefinition.html
    """

    name: str
    before: str | None = None
    after: str | None = None

    def __str__(self) -> str:
        """Name it, with both values but no secret."""
        if self.before is None or self.after is None:
            return self.name
        before, after = (member_without_secrets(self.name, value) for value in (self.before, self.after))
        return f"{self.name} {word_or_quoted(before, _LONGEST_VALUE)} -> {word_or_quoted(after, _LONGEST_VALUE)}"


class ResourceChange(NamedTuple):
    """What an operation would do to one resource.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
    """

    stack: str
    resource: str
    """Its logical id."""
    type: str
    id: str
    """Its physical id; empty for one that does not exist."""
    fate: Fate
    is_certain: bool = True
    """Whether AWS knows already that it comes to that."""
    leaves: Leaves = "nothing"
    properties: tuple[PropertyChange, ...] = ()
    """What is changed in place."""


class ChangeSet(NamedTuple):
    """A change set that AWS has made and nobody has executed."""

    stack: str
    id: str
    changes: tuple[ResourceChange, ...]


def make_change_set(account: Account, request: StackRequest, *, is_new: bool) -> ChangeSet | None:
    """Make a change set and return it, None where it would change nothing. ``is_new`` says that there is no stack yet.

    Its name is new each time: one that another call left is not executed by mistake, and goes when ours is.
    Raises TrainyardError where AWS refuses what the stack should be.
    """
    client, name = account.client("cloudformation"), f"{OWN_CHANGE_SETS}{uuid.uuid4().hex}"
    with aws_errors(account.region, f"plan stack {request.name}", "cloudformation:CreateChangeSet"):
        change_set: str = client.create_change_set(
            StackName=request.name,
            ChangeSetName=name,
            ChangeSetType="CREATE" if is_new else "UPDATE",
            **_template(request),
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=name,
        )["Id"]
        place = {"StackName": request.name, "ChangeSetName": change_set}
        for _ in polls(account, request.name):
            described = client.describe_change_set(**place, IncludePropertyValues=True)
            if described["Status"] == "CREATE_COMPLETE":
                return ChangeSet(request.name, change_set, _changes(client, place, described))
            if described["Status"] == "FAILED":
                break
    discard_change_set(account, ChangeSet(request.name, change_set, ()))
    _refuse_failed(request.name, described.get("StatusReason", ""))
    return None


def execute_change_set(account: Account, change_set: ChangeSet) -> None:
    """Set a change set going, unless an earlier attempt has, whose answer was lost."""
    place = {"StackName": change_set.stack, "ChangeSetName": change_set.id}
    doing = f"change stack {change_set.stack}"
    none_if = ("InvalidChangeSetStatus", *_GONE)
    call(account, "cloudformation", "execute_change_set", doing=doing, none_if=none_if, **place)


def discard_change_set(account: Account, change_set: ChangeSet) -> None:
    """Delete a change set, so that nobody executes it."""
    place = {"StackName": change_set.stack, "ChangeSetName": change_set.id}
    doing = f"plan stack {change_set.stack}"
    call(account, "cloudformation", "delete_change_set", doing=doing, none_if=_GONE, **place)


def _template(request: StackRequest) -> dict[str, str]:
    return {"TemplateBody": request.template} if request.template_url is None else {"TemplateURL": request.template_url}


def _changes(client: Any, place: Mapping[str, str], described: dict[str, Any]) -> tuple[ResourceChange, ...]:
    changes = list(described.get("Changes", ()))
    while token := described.get("NextToken"):
        described = client.describe_change_set(**place, IncludePropertyValues=True, NextToken=token)
        changes += described.get("Changes", ())
    return tuple(_change(place["StackName"], item["ResourceChange"]) for item in changes if "ResourceChange" in item)


def _change(stack: str, shown: Mapping[str, Any]) -> ResourceChange:
    action, replacement, policy = (shown.get(key, "") for key in ("Action", "Replacement", "PolicyAction"))
    leaves = _leaves(policy)
    fate: Fate = "changed"
    if action in ("Add", "Import"):
        fate = "added"
    elif action == "Remove":
        fate = "left behind" if leaves == "resource" else "deleted"
    elif action == "Dynamic" or replacement in ("True", "Conditional"):
        fate = "replaced"
    return ResourceChange(
        stack,
        shown["LogicalResourceId"],
        shown["ResourceType"],
        shown.get("PhysicalResourceId") or "",
        fate,
        action not in _UNKNOWN and replacement not in _UNKNOWN,
        leaves,
        tuple(dict.fromkeys(_properties(shown))) if fate == "changed" else (),
    )


def _properties(shown: Mapping[str, Any]) -> Iterator[PropertyChange]:
    """Yield the properties of a changed resource, but its tags."""
    for detail in shown.get("Details", ()):
        target = detail.get("Target", {})
        if target.get("Attribute") != "Properties" or "Name" not in target:
            continue
        yield PropertyChange(target["Name"], target.get("BeforeValue"), target.get("AfterValue"))


def deletion_policies(account: Account, stack: str) -> dict[str, Leaves]:
    """Return what the deletion of a stack would leave of each resource in its template, by logical id.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-deletionpolicy.html
    """
    template = stack_template(account, stack)
    return {name: _leaves(body.get("DeletionPolicy", "Delete")) for name, body in template["Resources"].items()}


def _leaves(policy: str) -> Leaves:
    if "Retain" in policy:
        return "resource"
    return "snapshot" if "Snapshot" in policy else "nothing"


def _refuse_failed(name: str, reason: str) -> None:
    """Raise TrainyardError unless all that is wrong with a change set is that it is empty."""
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets-create.html
    if "didn't contain changes" not in reason and "No updates are to be performed" not in reason:
        raise TrainyardError(
            f"CloudFormation refuses to change stack {name}: {quoted(reason)}",
            where=name,
            hint="put right what it says",
        )
