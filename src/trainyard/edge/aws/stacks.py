"""Stacks of AWS CloudFormation, as AWS describes them, and their protection against deletion.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_DescribeStacks.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import yaml

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.errors import NO_STACK, NotAllowedError
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted_or

UNDER_REVIEW = "REVIEW_IN_PROGRESS"
OWN_CHANGE_SETS = "trainyard-"
"""What the names of our change sets begin with."""
# What ends an operation well.
GOOD = {"CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"}


_WAYS_BACK = {"UPDATE_FAILED": "rollback-stack", "UPDATE_ROLLBACK_FAILED": "continue-update-rollback"}
# Most stacks take seconds or minutes; calls are limited to a few a second for the whole account.
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_LONGEST_WAIT_S = 3 * 3600.0


class StackState(NamedTuple):
    """A stack as AWS describes it."""

    name: str
    id: str
    status: str
    reason: str
    tags: Mapping[str, str]
    outputs: Mapping[str, str]
    is_protected: bool = False
    """Whether AWS refuses to delete it."""
    parameters: Mapping[str, str] = MappingProxyType({})
    """As they were given, or by the defaults of its template; **** where they are hidden."""

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
    described = _described(account, name)
    if described is None:
        return None
    state = _state(described)
    return state._replace(tags=_tags_under_review(account, name)) if state.status == UNDER_REVIEW else state


def _described(account: Account, name: str) -> Mapping[str, Any] | None:
    """Return what AWS says of a stack. Whoever remembers answers asks for all at once, where that is allowed."""
    if account.memory is not None and not name.startswith("arn:"):
        try:
            listed = pages(account, "cloudformation", "describe_stacks", "Stacks", doing="list stacks")
        except NotAllowedError:
            listed = None
        if listed is not None:
            return next((stack for stack in listed if stack["StackName"] == name), None)
    doing = f"look at stack {name}"
    answer = call(account, "cloudformation", "describe_stacks", doing=doing, none_if=NO_STACK, StackName=name)
    found: Mapping[str, Any] | None = None if answer is None else answer["Stacks"][0]
    return found


def _tags_under_review(account: Account, name: str) -> dict[str, str]:
    """Return the tags that a stack under review will have: it has none itself, our change set has them."""
    doing = f"look at stack {name}"
    listed = call(account, "cloudformation", "list_change_sets", doing=doing, StackName=name)["Summaries"]
    names = [summary["ChangeSetName"] for summary in listed]
    own = [change_set for change_set in names if change_set.startswith(OWN_CHANGE_SETS)]
    if not own:
        return {}
    place = {"StackName": name, "ChangeSetName": own[-1]}
    return _tags(call(account, "cloudformation", "describe_change_set", doing=doing, **place))


def stacks_tagged(account: Account, tag: str, value: str) -> list[StackState]:
    """Return the stacks that carry a tag, in the order of their making."""
    return [stack for stack in all_stacks(account) if stack.tags.get(tag) == value]


def all_stacks(account: Account) -> list[StackState]:
    """Return every stack that is not inside another, in the order of their making."""
    stacks = pages(account, "cloudformation", "describe_stacks", "Stacks", doing="list stacks")
    outer = [stack for stack in stacks if "ParentId" not in stack]
    return [_state(stack) for stack in sorted(outer, key=lambda stack: stack["CreationTime"])]


def _state(described: Mapping[str, Any]) -> StackState:
    outputs = {output["OutputKey"]: output["OutputValue"] for output in described.get("Outputs", ())}
    return StackState(
        described["StackName"],
        described["StackId"],
        described["StackStatus"],
        described.get("StackStatusReason") or "",
        _tags(described),
        outputs,
        bool(described.get("EnableTerminationProtection")),
        {given["ParameterKey"]: given.get("ParameterValue", "") for given in described.get("Parameters", ())},
    )


def _tags(described: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described.get("Tags", ())}


def stack_template(account: Account, name: str) -> Mapping[str, Any]:
    """Return the template of a stack, as it was given."""
    doing = f"read the template of stack {name}"
    body = call(account, "cloudformation", "get_template", doing=doing, StackName=name)["TemplateBody"]
    template: Mapping[str, Any] = yaml.load(body, Loader=yaml.CSafeLoader) if isinstance(body, str) else body
    return template


def refuse_stuck(state: StackState) -> None:
    """Raise TrainyardError for a stack whose last update failed halfway: it runs, and only its owner can say how on.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-updating-stacks-continueupdaterollback.html
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_RollbackStack.html
    """
    if (command := _WAYS_BACK.get(state.status)) is not None:
        region = state.id.split(":")[3]  # of its ARN
        raise TrainyardError(
            f"stack {state.name} is {state.status}: {quoted_or(state.reason, 'see its events')}",
            where=state.name,
            hint=f"`aws cloudformation {command} --stack-name {state.name} --region {region}` brings it back to what "
            "it was; then run the command again",
        )


def protect_stack(account: Account, stack: str) -> None:
    """Let AWS refuse to delete a stack until its protection is lifted.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-protect-stacks.html
    """
    _set_protection(account, stack, f"protect stack {stack} from deletion", is_protected=True)


def lift_protection(account: Account, stack: str) -> bool:
    """Let a stack be deleted, and return whether it was protected: eksctl protects those that it makes."""
    doing = f"lift the protection of stack {stack}"
    (described,) = call(account, "cloudformation", "describe_stacks", doing=doing, StackName=stack)["Stacks"]
    if not described.get("EnableTerminationProtection"):
        return False
    _set_protection(account, stack, doing, is_protected=False)
    return True


def _set_protection(account: Account, stack: str, doing: str, *, is_protected: bool) -> None:
    protection: dict[str, Any] = {"StackName": stack, "EnableTerminationProtection": is_protected}
    call(account, "cloudformation", "update_termination_protection", doing=doing, **protection)


def polls(account: Account, stack: str) -> Iterator[None]:
    """Yield at once and then after growing pauses. Raises TrainyardError where an operation takes far too long."""
    waited_s, pause_s = 0.0, _FIRST_PAUSE_S
    while waited_s < _LONGEST_WAIT_S:
        yield
        account.clock.sleep(pause_s)
        waited_s += pause_s
        pause_s = min(pause_s * 1.5, _LONGEST_PAUSE_S)
    hours = int(_LONGEST_WAIT_S / 3600)
    raise TrainyardError(
        f"AWS is still at work on stack {stack} after {hours} hours", where=stack, hint="run the command again later"
    )
