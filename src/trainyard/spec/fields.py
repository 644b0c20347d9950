"""Finds the record that describes a place in the spec. For error messages and the generated reference only."""

from __future__ import annotations

import typing
from typing import Any

from trainyard.field import ByShape
from trainyard.record import Record

if typing.TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path


def record_at(record: type[Record], path: Path) -> type[Record] | None:
    """Return the record whose keys stand in the mapping at a path, None where there is none."""
    found: type[Record] | None = record
    for step in path:
        if isinstance(step, int):
            continue
        hint = field_hints(found).get(step) if found is not None else None
        found = next(records_in(hint), None)
    return found


def field_hints(record: type[Record]) -> dict[str, Any]:
    """Return the annotations of a record's fields, evaluated."""
    hints = typing.get_type_hints(record, include_extras=True)
    return {name: hints[name] for name in record.field_names()}


def records_in(hint: Any) -> Iterator[type[Record]]:
    """Yield the records that an annotation speaks of, however deep it nests them."""
    if isinstance(hint, type) and issubclass(hint, Record):
        yield hint
    if isinstance(hint, ByShape):
        for member in (hint.mapping, hint.sequence):
            yield from records_in(member)
    for inner in (*typing.get_args(hint), *getattr(hint, "__metadata__", ())):
        yield from records_in(inner)
