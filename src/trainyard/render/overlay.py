"""Merges keys that the spec does not model into a rendered document, and finds those that it does model.

What a rendering has written, and what a table of origins names, is the spec's: an overlay adds, and replaces nothing.
An entry of a list that the rendering has too, by its name, gets the further keys; any other one comes after those that
are there, unless the spec itself has a key for such entries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.catalog.eksctl_keys import Shape
from trainyard.finding import Path, path_text
from trainyard.finding_kinds import Problem
from trainyard.spec.cluster import Spec

_NAMES = ("Name", "name")


class OverlayKey(NamedTuple):
    """A key of an overlay that has a value of its own, and where it stands."""

    written: Path
    """In the overlay, lists by position."""
    place: Path
    """In the document, lists by the position of the item of the same name there."""
    is_there: bool
    """Whether the rendering has written something there."""
    names: tuple[str, ...] = ()
    """Of a further entry of a list, the names of those that are there."""


def merged(document: Mapping[str, Any], overlay: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with an overlay merged in: mappings key by key, lists of named mappings item by item."""
    return {**document, **{key: _value(document.get(key), value) for key, value in overlay.items()}}


def overlay_problems(
    document: Mapping[str, Any], overlay: Mapping[str, Any], above: Path, origin: Callable[[Path], str | None]
) -> Iterator[Problem]:
    """Yield the keys of an overlay that the spec models, by the rendering or by a table of origins.

    ``above`` is where the overlay stands in the spec; ``origin`` gives the key of the spec for a path, None for none.
    """
    for where, name in _repeated(overlay, above):
        yield Problem(where, f"another entry of this list is called {name} as well", "write one entry for it")
    for key in overlay_keys(document, overlay):
        where, name = (*above, *key.written), path_text(key.place)
        own = origin(key.place) or (origin(key.place[:-1]) if isinstance(key.place[-1], int) else None)
        if own is not None and key.names:
            message = f"{path_text(key.place[:-1])} has no such entry; there are {', '.join(key.names)}"
            yield Problem(where, message, f"name one of them, or write another one into {own.removesuffix('[]')}")
        elif own is not None:
            message = f"the overlay writes {name}, which is {own} in the spec"
            yield Problem(where, message, f"write {own}, and remove it here")
        elif key.is_there:
            message = f"the overlay writes {name}, which trainyard writes"
            yield Problem(where, message, "remove it: an overlay adds keys and changes none")


def elsewhere(problems: Iterable[Problem], others: Sequence[Problem]) -> Iterator[Problem]:
    """Yield the problems that stand neither where another one does nor below it."""
    places = {problem.path for problem in others}
    for problem in problems:
        if not any(problem.path[:length] in places for length in range(1, len(problem.path) + 1)):
            yield problem


def origin_in(origins: Mapping[str, str], place: Path) -> str | None:
    """Return the key of the spec for a path in the document; ``X.*`` of a table of origins is all that is below X."""
    wholes = (f"{pattern_of(place[:length])}.*" for length in range(len(place) - 1, 0, -1))
    return next((origins[pattern] for pattern in (pattern_of(place), *wholes) if pattern in origins), None)


def pattern_of(place: Path) -> str:
    """Return a path as tables of origins have it, with ``[]`` for any position."""
    return re.sub(r"\[\d+\]", "[]", path_text(place))


def unknown_keys(
    value: Any, shape: Shape, path: Path, kinds: Mapping[str, Mapping[str, Shape]], program: str
) -> Iterator[Problem]:
    """Yield keys of an overlay that the schema of the program that reads them does not have."""
    if isinstance(shape, list) and shape and isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from unknown_keys(item, shape[0], (*path, index), kinds, program)
    elif isinstance(shape, str) and isinstance(value, Mapping) and not is_function(value):
        for key, inner in value.items():
            if key in kinds[shape]:
                yield from unknown_keys(inner, kinds[shape][key], (*path, key), kinds, program)
            else:
                hint = f"see {program}'s schema for what it is called"
                yield Problem((*path, key), f"{program} knows no key {key} here", hint)


def _repeated(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield entries of lists that have the name of an earlier one, of which one would be lost."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _repeated(inner, (*path, key))
    elif isinstance(value, list | tuple):
        names: set[Any] = set()
        for index, item in enumerate(value):
            name = _name(item) if _is_named(item) else None
            if name is not None and name in names:
                yield (*path, index), name
            names.add(name)
            yield from _repeated(item, (*path, index))


def is_function(value: Mapping[str, Any]) -> bool:
    """Return whether a mapping is a function of CloudFormation, which takes the place of a value."""
    name = next(iter(value), "")
    return len(value) == 1 and (name == "Ref" or str(name).startswith("Fn::"))


def residue(document: Mapping[str, Any], rendered: Mapping[str, Any]) -> tuple[dict[str, Any], list[Path]]:
    """Return the overlay that makes a document of a rendering, and where no overlay can.

    These paths are in the rendering: an overlay adds, and neither replaces nor removes.
    """
    conflicts: list[Path] = []
    return _missing_keys(document, rendered, (), conflicts), conflicts


def differences(document: Any, other: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Yield where two documents differ, with the value of each, None for none. Named entries may have any order."""
    if isinstance(document, Mapping) and isinstance(other, Mapping):
        for key in dict.fromkeys((*document, *other)):
            yield from differences(document.get(key), other.get(key), (*path, key))
    elif _are_named(document) and _are_named(other):
        names = {_name(item): index for index, item in enumerate(document)}
        by_name = [{_name(item): item for item in items} for items in (document, other)]
        for name in dict.fromkeys((*by_name[0], *by_name[1])):
            position = names.get(name, len(names))
            yield from differences(by_name[0].get(name), by_name[1].get(name), (*path, position))
    elif document != other or type(document) is not type(other):
        yield path, document, other


def with_lists(value: Any) -> Any:
    """Return plain data with lists in place of tuples, as which a spec keeps them."""
    if isinstance(value, Mapping):
        return {key: with_lists(member) for key, member in value.items()}
    return list(map(with_lists, value)) if isinstance(value, list | tuple) else value


def _missing_keys(
    document: Mapping[str, Any], rendered: Mapping[str, Any], path: Path, conflicts: list[Path]
) -> dict[str, Any]:
    missing: dict[str, Any] = {}
    conflicts.extend((*path, key) for key in rendered if key not in document)
    for key, value in document.items():
        there = rendered.get(key)
        if key not in rendered:
            missing[key] = value
        elif isinstance(value, Mapping) and isinstance(there, Mapping):
            if inner := _missing_keys(value, there, (*path, key), conflicts):
                missing[key] = inner
        elif isinstance(value, list) and isinstance(there, list):
            if items := _missing_items(value, there, (*path, key), conflicts):
                missing[key] = items
        elif value != there or type(value) is not type(there):
            conflicts.append((*path, key))
    return missing


def _missing_items(items: Sequence[Any], there: Sequence[Any], path: Path, conflicts: list[Path]) -> list[Any]:
    if not (_are_named(items) and _are_named(there)):
        if list(items[: len(there)]) != list(there):
            conflicts.append(path)
        return list(items[len(there) :])
    missing: list[Any] = []
    positions = _positions(there)
    for item in items:
        position = positions(item)
        if position is None:
            missing.append(item)
        elif inner := _missing_keys(item, there[position], (*path, position), conflicts):
            missing.append({**{name: item[name] for name in _NAMES if item.get(name) == _name(item)}, **inner})
    positions = _positions(items)
    conflicts.extend((*path, at) for at, item in enumerate(there) if positions(item) is None)
    return missing


def _are_named(value: Any) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(_is_named(item) and isinstance(_name(item), str) for item in value)
    )


def overlay_paths(spec: Spec) -> tuple[str, ...]:
    """Return the keys of a spec's overlay that hold values of their own, as they are written."""
    overlays: list[tuple[Path, Mapping[str, Any]]] = [
        ((), overlay) for overlay in (spec.parallelcluster.overlay, spec.batch.overlay, spec.eks.overlay)
    ]
    for kind, overlay in spec.stack_overlays.in_use():
        above = ("stack_overlays", kind)
        overlays += [((*above, "parameters"), overlay.parameters), ((*above, "resources"), overlay.resources)]
    return tuple(path_text(path) for above, overlay in overlays if overlay for path in _leaves(overlay, above))


def _leaves(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif value and isinstance(value, list | tuple) and all(map(_is_named, value)):
        for index, item in enumerate(value):
            further = {key: inner for key, inner in item.items() if key not in _NAMES}
            yield from _leaves(further, (*path, index))
    elif path:
        yield path


def overlay_keys(document: Any, overlay: Mapping[str, Any]) -> Iterator[OverlayKey]:
    """Yield the keys of an overlay that hold no further mapping which the document has too."""
    yield from _in_mapping(document, overlay, (), ())


def _value(there: Any, value: Any) -> Any:
    if isinstance(there, Mapping) and isinstance(value, Mapping):
        return merged(there, value)
    if isinstance(there, list) and isinstance(value, list | tuple):
        by_name = {_name(item): item for item in value if _is_named(item)}
        grown = [merged(item, by_name.get(_name(item), {})) if _is_named(item) else item for item in there]
        positions = _positions(there)
        return [*grown, *(item for item in value if positions(item) is None)]
    return value


def _in_mapping(there: Any, overlay: Mapping[str, Any], written: Path, place: Path) -> Iterator[OverlayKey]:
    for key, value in overlay.items():
        inner = there.get(key) if isinstance(there, Mapping) else None
        at, to = (*written, key), (*place, key)
        if isinstance(value, Mapping) and (isinstance(inner, Mapping) or (inner is None and value)):
            yield from _in_mapping(inner, value, at, to)
        elif inner and value and isinstance(inner, list) and isinstance(value, list | tuple):
            yield from _in_list(inner, value, at, to)
        else:
            yield OverlayKey(at, to, inner is not None)


def _in_list(there: Sequence[Any], items: Sequence[Any], written: Path, place: Path) -> Iterator[OverlayKey]:
    names = tuple(str(_name(item)) for item in there if _is_named(item))
    end, positions = len(there), _positions(there)
    for index, item in enumerate(items):
        at, position = (*written, index), positions(item)
        if position is None:
            yield OverlayKey(at, (*place, end), is_there=False, names=names)
            end += 1
        elif _is_named(item):
            rest = {key: value for key, value in item.items() if key not in _NAMES}
            yield from _in_mapping(there[position], rest, at, (*place, position))
        else:
            yield OverlayKey(at, (*place, position), is_there=True)


def _positions(there: Sequence[Any]) -> Callable[[Any], int | None]:
    """Return a function that says which entry of a list is meant.

    It is the one of the same name, for what has none the same one, and None is a further one.
    """
    named: dict[Any, int] = {}
    for position, other in enumerate(there):
        if _is_named(other):
            named.setdefault(_name(other), position)

    def position_of(item: Any) -> int | None:
        if _is_named(item):
            return named.get(_name(item))
        return next((position for position, other in enumerate(there) if other == item), None)

    return position_of


def _is_named(item: Any) -> bool:
    return isinstance(item, Mapping) and _name(item) is not None


def _name(item: Mapping[str, Any]) -> Any:
    return next((item[name] for name in _NAMES if isinstance(item.get(name), str | int)), None)
