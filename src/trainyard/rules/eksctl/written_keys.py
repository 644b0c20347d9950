"""Every key of a ClusterConfig that stands where eksctl has keys of its own, with what eksctl expects there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.catalog.eksctl_keys import TOP, Shape, eksctl_kinds
from trainyard.document.node import Document
from trainyard.finding import Path


class WrittenKey(NamedTuple):
    """A key, what stands below it, and the keys that belong beside it."""

    path: Path
    value: Any
    known: Mapping[str, Shape]

    @property
    def key(self) -> str:
        """Return the key itself."""
        return str(self.path[-1])

    @property
    def same_but_for_case(self) -> str | None:
        """Return the key that eksctl has, where only capital letters differ."""
        return next(
            (known_key for known_key in self.known if known_key.lower() == self.key.lower() and known_key != self.key),
            None,
        )


def written_keys(document: Document) -> Iterator[WrittenKey]:
    """Yield them from the top down, and none below a key that eksctl does not know or that takes anything."""
    if isinstance(document.value, dict):
        yield from _of_kind(document.value, TOP, ())


def _of_kind(value: dict[str, Any], kind: str, path: Path) -> Iterator[WrittenKey]:
    shapes = eksctl_kinds()[kind]
    for key, member in value.items():
        yield WrittenKey((*path, key), member, shapes)
        yield from _below(member, shapes.get(key, True), (*path, key))


def _below(value: Any, shape: Shape, path: Path) -> Iterator[WrittenKey]:
    if isinstance(shape, str) and isinstance(value, dict):
        yield from _of_kind(value, shape, path)
    elif isinstance(shape, list) and shape and isinstance(value, tuple):
        for index, member in enumerate(value):
            yield from _below(member, shape[0], (*path, index))
    elif isinstance(shape, dict) and "*" in shape and isinstance(value, dict):
        for key, member in value.items():
            yield from _below(member, shape["*"], (*path, key))
