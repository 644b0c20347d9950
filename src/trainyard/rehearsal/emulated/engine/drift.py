"""Drift of resources from their template, for the types whose actual properties the emulation can read.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_PropertyDifference.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainyard.rehearsal.emulated.engine import types
from trainyard.rehearsal.emulated.engine.stacks import EmulatedResource, EmulatedStack
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount

# The property of another resource to which these add, after theirs that names it.
_ATTACHED = {
    "AWS::EC2::SecurityGroupIngress": ("GroupId", "SecurityGroupIngress"),
    "AWS::EC2::SecurityGroupEgress": ("GroupId", "SecurityGroupEgress"),
}


def resource_drifts(stack: EmulatedStack) -> list[dict[str, Any]]:
    """Return StackResourceDrifts: all resources that exist, NOT_CHECKED where nobody can read them."""
    return [_drift(stack, resource) for resource in stack.resources.values() if resource.physical is not None]


def _drift(stack: EmulatedStack, resource: EmulatedResource) -> dict[str, Any]:
    physical = resource.physical
    described = {
        "StackId": stack.id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": None if physical is None else physical.id,
        "ResourceType": resource.type,
        "Timestamp": resource.time,
    }
    reader = types.reader(resource.type)
    if reader is None or physical is None or physical.logical is None:
        return {**described, "StackResourceDriftStatus": "NOT_CHECKED"}
    actual = reader(InProcessAccount(stack.region), physical)
    if actual is None:
        return {**described, "StackResourceDriftStatus": "DELETED"}
    expected = _with_attachments(stack, physical.id, physical.logical.properties)
    differences = list(_differences(expected, actual, ""))
    status = "MODIFIED" if differences else "IN_SYNC"
    return {**described, "StackResourceDriftStatus": status, "PropertyDifferences": differences}


def _with_attachments(stack: EmulatedStack, id_: str, properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the properties of a resource by the template, with what resources of the same stack add to them.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html has the sentence about
    attached resources; those of other stacks CloudFormation does not know either.
    """
    expected: dict[str, Any] = {**properties}
    for other in stack.resources.values():
        own, name = _ATTACHED.get(other.type, ("", ""))
        logical = None if other.physical is None else other.physical.logical
        if own and logical is not None and logical.properties.get(own) == id_:
            added = {key: value for key, value in logical.properties.items() if key != own}
            expected[name] = [*(expected.get(name) or []), added]
    return expected


def _differences(expected: Mapping[str, Any], actual: Mapping[str, Any], path: str) -> Iterator[dict[str, str]]:
    """Yield how they differ in what both have: what no template says is no drift."""
    for name in expected.keys() & actual.keys():
        before, now = expected[name], actual[name]
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            yield from _differences(before, now, f"{path}/{name}")
        elif isinstance(now, list) and any(isinstance(item, Mapping) for item in (*before, *now)):
            yield from _item_differences(before, now, f"{path}/{name}")
        elif str(before) != str(now):
            yield _difference(f"{path}/{name}", "NOT_EQUAL", before, now)


def _item_differences(
    expected: Sequence[Mapping[str, Any]], actual: Sequence[Mapping[str, Any]], path: str
) -> Iterator[dict[str, str]]:
    """Yield which items of a list without an order are there and in no template, and the other way round."""
    left = list(enumerate(actual))
    for index, item in enumerate(expected):
        same = next(
            (one for one in left if not list(_differences(item, one[1], "")) and item.keys() <= one[1].keys()), None
        )
        if same is None:
            yield _difference(f"{path}/{index}", "REMOVE", item, "null")
        else:
            left.remove(same)
    for index, item in left:
        yield _difference(f"{path}/{index}", "ADD", "null", item)


def _difference(path: str, kind: str, expected: Any, actual: Any) -> dict[str, str]:
    values = {"ExpectedValue": _text(expected), "ActualValue": _text(actual)}
    return {"PropertyPath": path, **values, "DifferenceType": kind}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
