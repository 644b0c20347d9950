"""Values of plain data that may lack anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def at(value: Any, *path: str) -> Any:
    """Return the value at a path of keys, None where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def mappings(value: Any, *path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings of the list at a path."""
    members = at(value, *path)
    yield from (member for member in (members if isinstance(members, list) else ()) if isinstance(member, Mapping))


def texts(value: Any, *path: str) -> list[str]:
    """Return the texts of the list at a path."""
    members = at(value, *path)
    return [member for member in members if isinstance(member, str)] if isinstance(members, list) else []


def with_new_keys(section: Any, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of a section by other names, those that are there."""
    values = ((name, at(section, key)) for key, name in names.items())
    return {name: value for name, value in values if value is not None}


def present(**values: Any) -> dict[str, Any]:
    """Return those values that say something."""
    return {key: value for key, value in values.items() if value is not None and value not in ({}, [])}
