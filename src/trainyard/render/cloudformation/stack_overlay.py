"""What is wrong with overlays of stacks: no such stack, parameter, resource or key, or one that the spec decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml

from trainyard.catalog.cloudformation_keys import cloudformation_kinds
from trainyard.catalog.eksctl_keys import Shape
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.render.cloudformation.resources import resources
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.cloudformation.stacks import stacks
from trainyard.render.overlay import is_function, overlay_problems, unknown_keys
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.stack_overlays import StackOverlay

# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-product-attribute-reference.html
_ATTRIBUTES = ("CreationPolicy", "DeletionPolicy", "DependsOn", "Metadata", "UpdatePolicy", "UpdateReplacePolicy")
_BY_HAND = "remove it: an overlay adds keys and changes none"


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield stacks that are not made, and what is wrong with the overlay of each that is."""
    plain = spec.replaced(stack_overlays=spec.stack_overlays.emptied())
    try:
        made = {stack.kind: stack for stack in stacks(plain, Ids({}))}
    except TrainyardError:  # the rules say why there are none
        return
    for kind, overlay in spec.stack_overlays.in_use():
        above = ("stack_overlays", kind)
        if kind not in made:
            message = f"no stack {kind} is made of this spec; there are {', '.join(made)}"
            yield Problem(above, message, "write it for a stack that is made, or in the environment that makes it")
            continue
        yield from _parameter_problems(made[kind], overlay, (*above, "parameters"))
        yield from stack_resource_problems(made[kind], overlay.resources, (*above, "resources"))


def stack_resource_problems(stack: Stack, overlay: Mapping[str, Any], above: Path) -> Iterator[Problem]:
    """Yield resources that a stack has not, keys that CloudFormation does not know, and those that are rendered.

    ``above`` is where the overlay stands in the spec.
    """
    template = yaml.load(stack.template, yaml.CSafeLoader)
    made = {resource.logical_id: template["Resources"][resource.logical_id] for resource in resources(stack)}
    for logical_id in sorted(overlay.keys() - made.keys()):
        message = f"the stack has no resource {logical_id}; there are {', '.join(made)}"
        yield Problem((*above, logical_id), message, "name one of them")
    known = {logical_id: keys for logical_id, keys in overlay.items() if logical_id in made}
    for logical_id, keys in known.items():
        kinds = {**cloudformation_kinds(), "": _resource(made[logical_id]["Type"])}
        yield from unknown_keys(keys, "", (*above, logical_id), kinds, "CloudFormation")
    yield from overlay_problems(
        _without_functions(made), known, above, _origin_of(stack.kind, made, template.get("Conditions", {}))
    )


@cache
def parameter_origins() -> Mapping[str, Mapping[str, str | None]]:
    """Return which key of the spec decides each parameter of each kind of stack, None for those that none decides."""
    origins: Mapping[str, Mapping[str, str | None]] = yaml.load(
        FilePath(__file__).parents[1].joinpath("parameter_origins.yaml").read_bytes(), yaml.CSafeLoader
    )
    return origins


def parameter_origin(kind: str, parameter: str) -> str | None:
    """Return the key of the spec that decides a parameter; one with a number behind it has that of the first."""
    origins = parameter_origins()[kind]
    return origins.get(parameter, origins.get(parameter.rstrip("0123456789")))


def _parameter_problems(stack: Stack, overlay: StackOverlay, above: Path) -> Iterator[Problem]:
    known: Mapping[str, Mapping[str, Any]] = yaml.load(stack.template, yaml.CSafeLoader).get("Parameters", {})
    for name, value in overlay.parameters.items():
        where, origin = (*above, name), parameter_origin(stack.kind, name)
        if name not in known:
            message = f"the stack has no parameter {name}; there are {', '.join(known)}"
            yield Problem(where, message, "name one of them")
        elif origin is not None:
            message = f"the overlay writes {name}, which is {origin} in the spec"
            yield Problem(where, message, f"write {origin}, and remove it here")
        elif name in stack.parameters:
            yield Problem(where, f"the overlay writes {name}, which trainyard writes", _BY_HAND)
        elif (fault := _fault(known[name], str(value))) is not None:
            yield Problem(where, f"{name} {fault}, not {value}", "write a value that the template takes")


def _fault(parameter: Mapping[str, Any], value: str) -> str | None:
    """Return what a value has to be and is not, as the template says of its parameter.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/parameters-section-structure.html
    """
    allowed, pattern = parameter.get("AllowedValues"), parameter.get("AllowedPattern")
    if allowed is not None and value not in map(str, allowed):
        return f"must be {' or '.join(map(str, allowed))}"
    if pattern is not None and re.fullmatch(pattern, value) is None:
        return f"must match {pattern}"
    if parameter["Type"] == "Number":
        if re.fullmatch(r"-?[0-9]{1,15}", value) is None:
            return "must be a number"
        if int(value) < parameter.get("MinValue", int(value)):
            return f"must be at least {parameter['MinValue']}"
        if int(value) > parameter.get("MaxValue", int(value)):
            return f"must be at most {parameter['MaxValue']}"
    return None


def _origin_of(kind: str, made: Mapping[str, Any], conditions: Mapping[str, Any]) -> Callable[[Path], str | None]:
    """Return what gives the key of the spec that decides the value at a place, by the parameters that it refers to."""

    def origin(place: Path) -> str | None:
        value: Any = made
        for step in place:
            inner = value.get(step) if isinstance(value, Mapping) else None
            value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else inner
        if isinstance(value, Mapping) and not is_function(value):
            return None
        parameters = (*_references(value), *(name for test in _tests(value, conditions) for name in _references(test)))
        origins = (parameter_origin(kind, name) for name in parameters)
        return next((key for key in origins if key is not None), None)

    return origin


def _references(value: Any) -> Iterator[str]:
    """Yield what a part of a template refers to, in the order in which it stands there."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            if key == "Ref":
                yield member
            else:
                yield from _references(member)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def _tests(value: Any, conditions: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the conditions that decide a part of a template, and those in them."""
    if isinstance(value, Mapping):
        names = (value.get("Condition"), value["Fn::If"][0] if "Fn::If" in value else None)
        for test in (conditions[name] for name in names if name is not None):
            yield test
            yield from _tests(test, conditions)
        for member in value.values():
            yield from _tests(member, conditions)
    elif isinstance(value, list):
        for item in value:
            yield from _tests(item, conditions)


def _resource(type_: str) -> Mapping[str, Shape]:
    """Return the keys that a resource of a type can have."""
    return {"Properties": type_, "Type": None, "Condition": None, **dict.fromkeys(_ATTRIBUTES, True)}


def _without_functions(value: Any) -> Any:
    """Return a part of a template with text for what a function of CloudFormation gives: nothing merges into that."""
    if isinstance(value, Mapping):
        inner = {key: _without_functions(member) for key, member in value.items()}
        return "a function" if is_function(value) else inner
    return [_without_functions(item) for item in value] if isinstance(value, list) else value
