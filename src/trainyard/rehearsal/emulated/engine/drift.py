"""Drift of resources from their template, for the types whose actual properties the emulation can read.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_PropertyDifference.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.rehearsal.emulated.engine import types
from trainyard.rehearsal.emulated.engine.stacks import EmulatedResource, EmulatedStack
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount


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
    differences = list(_differences(physical.logical.properties, actual, ""))
    status = "MODIFIED" if differences else "IN_SYNC"
    return {**described, "StackResourceDriftStatus": status, "PropertyDifferences": differences}


def _differences(expected: Mapping[str, Any], actual: Mapping[str, Any], path: str) -> Iterator[dict[str, str]]:
    """Yield how they differ in what both have: what no template says is no drift."""
    for name in expected.keys() & actual.keys():
        before, now = expected[name], actual[name]
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            yield from _differences(before, now, f"{path}/{name}")
        elif str(before) != str(now):
            yield {
                "PropertyPath": f"{path}/{name}",
                "ExpectedValue": _text(before),
                "ActualValue": _text(now),
                "DifferenceType": "NOT_EQUAL",
            }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
