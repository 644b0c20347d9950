"""Decides what IAM would, over policy documents as they are rendered: actions, resources, variables, StringEquals.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_variables.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

Statement = Mapping[str, Any]
_PARTS = re.compile(r"(\$\{[^}]*\}|\*|\?)")
_KNOWN = {"Sid", "Effect", "Action", "Resource", "Condition"}


def allowed(statements: Iterable[Statement], action: str, resource: str, context: Mapping[str, str]) -> bool:
    """Return whether a call is allowed: some statement allows it, and none denies it.

    Raises ValueError where a statement has anything that is not decided here, such as another condition.
    """
    effects = {statement["Effect"] for statement in statements if _applies(statement, action, resource, context)}
    return effects == {"Allow"}


def _applies(statement: Statement, action: str, resource: str, context: Mapping[str, str]) -> bool:
    if unknown := set(statement) - _KNOWN:
        raise ValueError(f"{', '.join(unknown)} is not decided here")
    actions, resources = (_listed(statement[key]) for key in ("Action", "Resource"))
    named = any(_matches(pattern.lower(), action.lower(), {}) for pattern in actions)
    return named and any(_matches(pattern, resource, context) for pattern in resources) and _holds(statement, context)


def _holds(statement: Statement, context: Mapping[str, str]) -> bool:
    conditions = statement.get("Condition", {})
    if unknown := set(conditions) - {"StringEquals"}:
        raise ValueError(f"{', '.join(unknown)} is not decided here")
    expected = conditions.get("StringEquals", {})
    return all(context.get(key) in _listed(values) for key, values in expected.items())


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def _matches(pattern: str, text: str, context: Mapping[str, str]) -> bool:
    """Return whether a pattern matches all of a text. A variable holds no pattern; without a value, nothing matches."""
    expression = ""
    for part in _PARTS.split(pattern):
        if part.startswith("${"):
            value = context.get(part[2:-1])
            if value is None:
                return False
            expression += re.escape(value)
        else:
            expression += {"*": ".*", "?": "."}.get(part, re.escape(part))
    return re.fullmatch(expression, text, re.DOTALL) is not None
