"""Which resources a stack will have: those of its template whose conditions hold.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-conditions.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

from trainyard.render.cloudformation.stack import Stack


class StackResource(NamedTuple):
    """One resource of a stack."""

    logical_id: str
    type: str
    keeps_data: bool
    """Whether it stays when the stack is deleted."""


def resources(stack: Stack, partition: str = "aws") -> tuple[StackResource, ...]:
    """Return the resources that a stack will have with its parameters, in the order of its template."""
    return tuple(_resources(stack, partition))


def _resources(stack: Stack, partition: str) -> Iterator[StackResource]:
    template: dict[str, Any] = yaml.load(stack.template, Loader=yaml.CSafeLoader)
    defaults = {name: str(parameter.get("Default", "")) for name, parameter in template.get("Parameters", {}).items()}
    values = {"AWS::Partition": partition, **defaults, **stack.parameters}
    conditions = template.get("Conditions", {})
    for logical_id, resource in template["Resources"].items():
        condition = resource.get("Condition")
        if condition is None or _holds({"Condition": condition}, conditions, values):
            keeps = resource.get("DeletionPolicy", "Delete") != "Delete"
            yield StackResource(logical_id, resource["Type"], keeps)


def _holds(expression: Mapping[str, Any], conditions: Mapping[str, Any], values: Mapping[str, str]) -> bool:
    """Return what a condition comes to. Raises ValueError for a function that is none of a condition's."""
    ((function, argument),) = expression.items()
    match function:
        case "Condition":
            return _holds(conditions[argument], conditions, values)
        case "Fn::Equals":
            first, other = (_value(side, values) for side in argument)
            return first == other
        case "Fn::Not":
            return not _holds(argument[0], conditions, values)
        case "Fn::And":
            return all(_holds(part, conditions, values) for part in argument)
        case "Fn::Or":
            return any(_holds(part, conditions, values) for part in argument)
    raise ValueError(f"{function} is no function of a condition")


def _value(side: Any, values: Mapping[str, str]) -> str:
    return values[side["Ref"]] if isinstance(side, dict) else str(side)
