"""Finds what describes a place in the spec. For error messages and the generated reference only."""

from __future__ import annotations

import types
import typing
from functools import cache
from typing import Any

from trainyard.field import ByShape, shape_of
from trainyard.record import Record

if typing.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trainyard.finding import Path


def record_at(record: type[Record], path: Path) -> type[Record] | None:
    """Return the record whose keys stand in the mapping at a path, None where there is none."""
    current: type[Record] | None = record
    for step in path:
        if isinstance(step, int):
            continue
        hint = field_hints(current).get(step) if current is not None else None
        current = next(records_in(hint), None)
    return current


def written_path(record: type[Record], location: Iterable[str | int]) -> Path:
    """Return the path that a user wrote for pydantic's location of an error, which also names members of unions.

    A key of the user's own may be called like such a member. Only the annotations tell them apart.
    """
    return tuple(_written_steps(record, location))


def _written_steps(hint: Any, location: Iterable[str | int]) -> Iterator[str | int]:
    for step in location:
        if (shapes := _shapes_of(hint)) is not None:
            hint = getattr(shapes, str(step))
            continue
        yield step
        hint = _member(hint, step)
        if (
            hint is None
        ):  # below an unknown key, and where the key of a mapping itself is wrong, pydantic goes no deeper
            return


def broken_groups(hint: Any, value: Any, path: Path = ()) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Yield every group of keys of which a document does not write exactly one, below the path of its mapping."""
    shapes = _shapes_of(hint)
    inner = _bare(hint if shapes is None else getattr(shapes, shape_of(value)))
    if isinstance(value, tuple):
        members: Iterable[tuple[str | int, Any]] = enumerate(value)
    elif isinstance(value, dict) and _is_record(inner):
        members = value.items()
        yield from ((path, group) for group in inner.one_of if sum(value.get(key) is not None for key in group) != 1)
    else:
        return
    for step, member in members:
        yield from broken_groups(_member(inner, step), member, (*path, step))


def _member(hint: Any, step: str | int) -> Any:
    inner = _bare(hint)
    if _is_record(inner):
        return field_hints(inner).get(str(step))
    if typing.get_origin(inner) is tuple:
        return typing.get_args(inner)[0]
    return None


def _is_record(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Record)


def _shapes_of(hint: Any) -> ByShape | None:
    return next((mark for mark in _marks_in(hint) if isinstance(mark, ByShape)), None)


def _marks_in(hint: Any) -> Iterator[Any]:
    """Yield the marks of an annotation, and those of the one that it makes optional."""
    yield from getattr(hint, "__metadata__", ())
    for inner in typing.get_args(hint) if _is_union(hint) else ():
        yield from _marks_in(inner)


def _bare(hint: Any) -> Any:
    """Return an annotation without its marks, and without the None that it admits."""
    if hasattr(hint, "__metadata__"):
        return _bare(typing.get_args(hint)[0])
    if _is_union(hint):
        return _bare(next(inner for inner in typing.get_args(hint) if inner is not type(None)))
    return hint


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, types.UnionType)


def field_hints(record: type[Record]) -> dict[str, Any]:
    """Return the annotations of a record's fields, evaluated."""
    hints = _type_hints(record)  # type: ignore[arg-type]  # mypy takes the class for its instance, which hashes otherwise
    return {name: hints[name] for name in record.field_names()}


@cache
def _type_hints(record: type[Record]) -> dict[str, Any]:
    return typing.get_type_hints(record, include_extras=True)


def records_in(hint: Any) -> Iterator[type[Record]]:
    """Yield the records that an annotation speaks of, however deep it nests them."""
    if _is_record(hint):
        yield hint
    if isinstance(hint, ByShape):
        for member in (hint.mapping, hint.sequence):
            yield from records_in(member)
    for inner in (*typing.get_args(hint), *getattr(hint, "__metadata__", ())):
        yield from records_in(inner)
