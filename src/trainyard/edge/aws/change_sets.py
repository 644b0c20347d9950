"""Change sets of AWS CloudFormation: what an operation would do to each resource of a stack, before it is done.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-changesets.html
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.stacks import OWN_CHANGE_SETS, polls, stack_template
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, word_or_quoted
from trainyard.redaction.secrets import member_without_secrets
from trainyard.stop_request import results_of

_AT_ONCE = 8
"""Calls side by side; botocore keeps ten connections."""
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
    path: str = ""
    """Which part of it, where AWS says that, such as /Properties/LustreConfiguration/EfaEnabled."""

    def names(self) -> frozenset[str]:
        """Return what of it is changed, such as LustreConfiguration.EfaEnabled, as far as AWS says it."""
        if self.path:
            return frozenset({self.path.removeprefix("/Properties/").replace("/", ".")})
        try:
            before, after = json.loads(self.before or ""), json.loads(self.after or "")
        except ValueError:
            return frozenset({self.name})
        if not (isinstance(before, dict) and isinstance(after, dict)):
            return frozenset({self.name})
        return frozenset(f"{self.name}.{key}" for key in before.keys() | after if before.get(key) != after.get(key))

    def __str__(self) -> str:
        """Name it, with both values but no secret."""
        shown = self.path.removeprefix("/Properties/").replace("/", ".") or self.name
        if self.before is None or self.after is None:
            return shown
        before, after = (member_without_secrets(shown, value) for value in (self.before, self.after))
        return f"{shown} {word_or_quoted(before, _LONGEST_VALUE)} -> {word_or_quoted(after, _LONGEST_VALUE)}"


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

    Raises TrainyardError where AWS refuses what the stack should be.
    """
    (made,) = make_change_sets(account, (request,), is_new=is_new)
    if isinstance(made, TrainyardError):
        raise made
    return made


def make_change_sets(
    account: Account, requests: Sequence[StackRequest], *, is_new: bool = False
) -> list[ChangeSet | TrainyardError | None]:
    """Make change sets of several stacks, and wait for them together; of each what ``make_change_set`` says of it.

    Their names are new each time: one that another call left is not executed by mistake, and goes when ours is.
    """
    made: list[ChangeSet | TrainyardError | None] = []
    made += results_of(lambda request: _begun(account, request, is_new=is_new), requests, _AT_ONCE)
    waiting = {index: change_set for index, change_set in enumerate(made) if isinstance(change_set, ChangeSet)}
    for _ in polls(account, ", ".join(change_set.stack for change_set in waiting.values())) if waiting else ():
        looked = results_of(lambda change_set: _ended_or_why(account, change_set), waiting.values(), _AT_ONCE)
        for (index, change_set), ended in zip(tuple(waiting.items()), tuple(looked), strict=True):
            made[index] = ended
            if ended is not change_set:
                del waiting[index]
        if not waiting:
            break
    return made


def _begun(account: Account, request: StackRequest, *, is_new: bool) -> ChangeSet | TrainyardError:
    """Let AWS make a change set, and return it without changes."""
    name = f"{OWN_CHANGE_SETS}{uuid.uuid4().hex}"
    try:
        answer = call(
            account, "cloudformation", "create_change_set", doing=f"plan stack {request.name}",
            StackName=request.name,
            ChangeSetName=name,
            ChangeSetType="CREATE" if is_new else "UPDATE",
            **_template(request),
            Parameters=[{"ParameterKey": key, "ParameterValue": text} for key, text in request.parameters.items()],
            Tags=[{"Key": key, "Value": text} for key, text in request.tags.items()],
            Capabilities=list(request.capabilities),
            ClientToken=name,
        )  # fmt: skip
    except TrainyardError as error:
        return error
    return ChangeSet(request.name, answer["Id"], ())


def _ended_or_why(account: Account, change_set: ChangeSet) -> ChangeSet | TrainyardError | None:
    try:
        return _ended(account, change_set)
    except TrainyardError as error:
        return error


def _ended(account: Account, change_set: ChangeSet) -> ChangeSet | None:
    """Return a change set with its changes once it is made, None where there are none, and itself until then.

    Raises TrainyardError where AWS refuses it.
    """
    place = {"StackName": change_set.stack, "ChangeSetName": change_set.id}
    described = _page(account, place)
    if described["Status"] == "CREATE_COMPLETE":
        return ChangeSet(change_set.stack, change_set.id, _changes(account, place, described))
    if described["Status"] != "FAILED":
        return change_set
    discard_change_set(account, change_set)
    _refuse_failed(change_set.stack, described.get("StatusReason", ""))
    return None


def _page(account: Account, place: Mapping[str, str], **more: str) -> dict[str, Any]:
    described: dict[str, Any] = call(
        account, "cloudformation", "describe_change_set", doing=f"plan stack {place['StackName']}",
        **place, IncludePropertyValues=True, **more,
    )  # fmt: skip
    return described


def execute_change_set(account: Account, change_set: ChangeSet) -> None:
    """Set a change set going, unless an earlier attempt has, whose answer was lost."""
    place = {"StackName": change_set.stack, "ChangeSetName": change_set.id}
    doing = f"change stack {change_set.stack}"
    none_if = ("InvalidChangeSetStatus", *_GONE)
    call(account, "cloudformation", "execute_change_set", doing=doing, none_if=none_if, **place)


def discard_change_sets(account: Account, change_sets: Sequence[ChangeSet]) -> None:
    """Delete several at once."""
    if change_sets:
        tuple(results_of(lambda change_set: discard_change_set(account, change_set), change_sets, _AT_ONCE))


def discard_change_set(account: Account, change_set: ChangeSet) -> None:
    """Delete a change set, so that nobody executes it."""
    place = {"StackName": change_set.stack, "ChangeSetName": change_set.id}
    doing = f"plan stack {change_set.stack}"
    call(account, "cloudformation", "delete_change_set", doing=doing, none_if=_GONE, **place)


def _template(request: StackRequest) -> dict[str, str]:
    return {"TemplateBody": request.template} if request.template_url is None else {"TemplateURL": request.template_url}


def _changes(account: Account, place: Mapping[str, str], described: dict[str, Any]) -> tuple[ResourceChange, ...]:
    changes = list(described.get("Changes", ()))
    while token := described.get("NextToken"):
        described = _page(account, place, NextToken=token)
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
        yield PropertyChange(
            target["Name"], target.get("BeforeValue"), target.get("AfterValue"), target.get("Path", "")
        )


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
