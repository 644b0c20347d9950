"""What somebody has changed of resources past their stacks, as CloudFormation itself detects it.

It compares only what a template says, so that what AWS chooses by itself is no drift, and it does not look into nested
stacks. https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call
from trainyard.edge.aws.stacks import GOOD, StackState
from trainyard.errors import TrainyardError

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html has the states of a stack
# that detection takes.
_DETECTABLE = GOOD | {"UPDATE_ROLLBACK_COMPLETE", "UPDATE_ROLLBACK_FAILED"}
_PAUSE_S = 5.0
_LONGEST_WAIT_S = 15 * 60.0


class ResourceDrift(NamedTuple):
    """One property that is not as the template says, or a resource that is gone."""

    resource: str
    """Its logical id."""
    path: tuple[str, ...]
    """Of the property; empty where the resource is gone."""
    expected: Any
    """As the template says; the physical id of what is gone, and None of what was added."""
    actual: Any
    """None where it is gone."""


def resource_drift(
    account: Account, stack: StackState, longest_wait_s: float = _LONGEST_WAIT_S
) -> tuple[ResourceDrift, ...]:
    """Let CloudFormation compare the resources of a stack with its template; it takes up to minutes.

    Raises NotAllowedError where a policy denies it, which may also be a question about a resource, and TrainyardError
    where it takes too long, or CloudFormation could not look at every resource.
    """
    doing = f"look for what was changed of the resources of stack {stack.name}"
    if stack.status not in _DETECTABLE:
        raise TrainyardError(f"could not {doing}: it is {stack.status}", where=stack.name)
    asked = call(account, "cloudformation", "detect_stack_drift", doing=doing, StackName=stack.id)
    _wait(account, stack, asked["StackDriftDetectionId"], doing, longest_wait_s)
    return tuple(drift for described in _described(account, stack, doing) for drift in _drifts(described))


def _wait(account: Account, stack: StackState, detection: str, doing: str, longest_wait_s: float) -> None:
    waited_s = 0.0
    while waited_s < longest_wait_s:
        operation = "describe_stack_drift_detection_status"
        answer = call(account, "cloudformation", operation, doing=doing, StackDriftDetectionId=detection)
        if answer["DetectionStatus"] == "DETECTION_COMPLETE":
            return
        if answer["DetectionStatus"] == "DETECTION_FAILED":
            reason = answer.get("DetectionStatusReason") or "CloudFormation does not say why"
            raise TrainyardError(f"could not {doing}: {reason}", where=stack.name)
        account.clock.sleep(_PAUSE_S)
        waited_s += _PAUSE_S
    raise TrainyardError(f"could not {doing}: it is not over after {waited_s / 60:.0f} minutes", where=stack.name)


def _described(account: Account, stack: StackState, doing: str) -> Iterator[Mapping[str, Any]]:
    """Yield what has drifted, page after page: boto3 has no paginator for it."""
    request: dict[str, Any] = {"StackName": stack.id, "StackResourceDriftStatusFilters": ["MODIFIED", "DELETED"]}
    while True:
        page = call(account, "cloudformation", "describe_stack_resource_drifts", doing=doing, **request)
        yield from page["StackResourceDrifts"]
        if "NextToken" not in page:
            return
        request["NextToken"] = page["NextToken"]


def _drifts(described: Mapping[str, Any]) -> list[ResourceDrift]:
    name = described["LogicalResourceId"]
    if described["StackResourceDriftStatus"] == "DELETED":
        return [ResourceDrift(name, (), described.get("PhysicalResourceId"), None)]
    return [
        ResourceDrift(
            name,
            tuple(difference["PropertyPath"].strip("/").split("/")),
            None if difference["DifferenceType"] == "ADD" else difference["ExpectedValue"],
            None if difference["DifferenceType"] == "REMOVE" else difference["ActualValue"],
        )
        for difference in described.get("PropertyDifferences", ())
    ]
