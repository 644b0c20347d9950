"""Versions that other programs print: `trainyard-node versions`, `docker inspect` and the environment of an image."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from trainyard.catalog.version_conflict import Component
from trainyard.catalog.version_conflicts import components
from trainyard.compatibility.version_set import SetVersion, given
from trainyard.errors import InputError

_VARIABLE = re.compile(r"(?:export )?([A-Za-z_][A-Za-z0-9_]*)=(.*)")
FORMS = "`trainyard-node versions --json`, `docker inspect IMAGE`, `env` in a container, NCCL, or a spec of trainyard"


def versions_in_json(text: str, file: str) -> dict[Component, SetVersion] | None:
    """Return the versions of a node or an image in JSON; None where the text is no JSON. Raises InputError."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None  # a spec may begin with a brace, too
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(first, dict) and isinstance(first.get("versions"), dict):
        return _of_node(first["versions"], file)
    if isinstance(first, dict) and isinstance(first.get("Config"), dict):
        environment = first["Config"].get("Env")
        if isinstance(environment, list):
            return versions_in_environment([line for line in environment if isinstance(line, str)], file)
    raise InputError(f"{file} is JSON, but tells no versions", where=file, hint=f"name what is printed by {FORMS}")


def versions_in_environment(lines: Iterable[str], file: str) -> dict[Component, SetVersion]:
    """Return the versions that variables tell. Raises InputError where one of them is no version."""
    matches = (_VARIABLE.fullmatch(line.strip()) for line in lines)
    variables = {match[1]: match[2].strip("'\"") for match in matches if match}
    return {
        component: given(component, variables[name], f"{name} in {file}")
        for component, facts in components().items()
        for name in reversed(facts.environment)
        if variables.get(name)
    }


def is_environment(text: str) -> bool:
    """Return whether every line of a text sets a variable."""
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and all(_VARIABLE.fullmatch(line.strip()) for line in lines)


def _of_node(entries: Mapping[str, Any], file: str) -> dict[Component, SetVersion]:
    versions: dict[Component, SetVersion] = {}
    for component in components():
        entry = entries.get(component)
        version = entry.get("version") if isinstance(entry, dict) else None
        if isinstance(version, str) and version:
            versions[component] = given(component, version, file)
    return versions
