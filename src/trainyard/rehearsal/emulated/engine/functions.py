"""Intrinsic functions and conditions, resolved against what is known so far.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from trainyard.rehearsal.emulated.engine.refusals import InvalidError
from trainyard.rehearsal.emulated.engine.scope import Scope

NO_VALUE = object()
"""What Ref of AWS::NoValue gives: the property is left out."""
_VARIABLE = re.compile(r"\$\{(!?)([^}]*)\}")


def resolve(value: Any, scope: Scope) -> Any:
    """Return a value of a template with every function in it resolved."""
    if isinstance(value, list):
        return [item for item in (resolve(item, scope) for item in value) if item is not NO_VALUE]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((name, argument),) = value.items()
        if name in _FUNCTIONS:
            return _call(name, argument, scope)
        if str(name).startswith("Fn::"):
            raise InvalidError(f"Template error: the emulated account does not know {name}")
    pairs = ((key, resolve(item, scope)) for key, item in value.items())
    return {key: item for key, item in pairs if item is not NO_VALUE}


def _call(name: str, argument: Any, scope: Scope) -> Any:
    try:
        return _FUNCTIONS[name](argument, scope)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InvalidError(f"Template error: {name} cannot take {json.dumps(argument)}: {error}") from error


def condition(name: str, scope: Scope) -> bool:
    """Return whether a condition of the template holds."""
    conditions = scope.template.get("Conditions") or {}
    if name not in conditions:
        raise InvalidError(f"Template format error: Unresolved condition dependency {name} in the template")
    return bool(resolve(conditions[name], scope))


def _ref(name: str, scope: Scope) -> Any:
    return NO_VALUE if name == "AWS::NoValue" else scope.ref(name)


def _get_att(argument: Any, scope: Scope) -> Any:
    logical_id, attribute = argument.split(".", 1) if isinstance(argument, str) else argument
    return scope.attribute(logical_id, resolve(attribute, scope))


def _sub(argument: Any, scope: Scope) -> str:
    text, variables = argument if isinstance(argument, list) else (argument, {})

    def value(match: re.Match[str]) -> str:
        literal, name = match.groups()
        if literal:
            return "${" + name + "}"
        name = name.strip()
        if name in variables:
            return str(resolve(variables[name], scope))
        return str(_get_att(name, scope) if "." in name else _ref(name, scope))

    return _VARIABLE.sub(value, text)


def _join(argument: Any, scope: Scope) -> str:
    separator, parts = argument
    return str(separator).join(str(part) for part in resolve(parts, scope))


def _select(argument: Any, scope: Scope) -> Any:
    index, items = resolve(argument, scope)
    if int(index) >= len(items):
        if items and scope.is_planned(items[-1]):
            return items[-1]  # what it will be, and into how many parts it will fall, is not known yet
        raise InvalidError(f"Template error: Fn::Select cannot select nonexistent value at index {index}")
    return items[int(index)]


def _split(argument: Any, scope: Scope) -> list[str]:
    separator, text = argument
    return str(resolve(text, scope)).split(separator)


def _find_in_map(argument: Any, scope: Scope) -> Any:
    name, first, second = resolve(argument[:3], scope)
    try:
        return scope.template["Mappings"][name][str(first)][str(second)]
    except KeyError:
        if len(argument) > 3:
            return resolve(argument[3].get("DefaultValue"), scope)
        raise InvalidError(f"Template error: Unable to get mapping for {name}::{first}::{second}") from None


def _if(argument: Any, scope: Scope) -> Any:
    name, then, otherwise = argument
    return resolve(then if condition(name, scope) else otherwise, scope)


def _cidr(argument: Any, scope: Scope) -> list[str]:
    # The third argument counts bits of the host part: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference-cidr.html
    block, count, *rest = resolve(argument, scope)
    network = ipaddress.ip_network(block)
    bits = int(rest[0]) if rest else 8
    prefix = network.max_prefixlen - bits
    parts = network.subnets(new_prefix=prefix) if prefix >= network.prefixlen else iter(())
    blocks = [str(part) for part in islice(parts, int(count))]
    if len(blocks) < int(count):
        raise InvalidError(f"Template error: Fn::Cidr cannot make {count} blocks of {bits} host bits in {block}")
    return blocks


def _base64(argument: Any, scope: Scope) -> str:
    return base64.b64encode(str(resolve(argument, scope)).encode()).decode()


def _equals(argument: Any, scope: Scope) -> bool:
    first, other = (str(side).lower() if isinstance(side, bool) else str(side) for side in resolve(argument, scope))
    return first == other


_FUNCTIONS: dict[str, Callable[[Any, Scope], Any]] = {
    "Ref": _ref,
    "Condition": condition,
    "Fn::GetAtt": _get_att,
    "Fn::Sub": _sub,
    "Fn::Join": _join,
    "Fn::Select": _select,
    "Fn::Split": _split,
    "Fn::FindInMap": _find_in_map,
    "Fn::If": _if,
    "Fn::Cidr": _cidr,
    "Fn::Base64": _base64,
    "Fn::ImportValue": lambda argument, scope: scope.imported(resolve(argument, scope)),
    "Fn::GetAZs": lambda argument, scope: scope.zones(resolve(argument, scope)),
    "Fn::ToJsonString": lambda argument, scope: json.dumps(resolve(argument, scope)),
    "Fn::Length": lambda argument, scope: len(resolve(argument, scope)),
    "Fn::Equals": _equals,
    "Fn::Contains": lambda argument, scope: resolve(argument[1], scope) in resolve(argument[0], scope),
    "Fn::Not": lambda argument, scope: not resolve(argument, scope)[0],
    "Fn::And": lambda argument, scope: all(resolve(part, scope) for part in argument),
    "Fn::Or": lambda argument, scope: any(resolve(part, scope) for part in argument),
}
