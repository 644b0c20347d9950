"""A value of a document together with the place it stands at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainyard.finding import Path


class Place(NamedTuple):
    """A position in a file, counted from 1."""

    line: int
    column: int


class YamlNode(NamedTuple):
    """One value. Mappings and lists keep the nodes of their members; aliases share nodes."""

    value: Any
    place: Place
    """Of its key where it is the value of a mapping, otherwise its own."""
    size: int = 1
    """How many values it holds, aliases counted as often as they are used."""
    members: Mapping[str, YamlNode] | Sequence[YamlNode] = ()

    def at(self, path: Path) -> YamlNode:
        """Return the node at a path, or the nearest one above it that exists."""
        node = self
        for step in path:
            members = node.members
            if isinstance(members, Mapping) and step in members:
                node = members[str(step)]
            elif isinstance(members, list) and isinstance(step, int) and step < len(members):
                node = members[step]
            else:
                return node
        return node


class Document(NamedTuple):
    """A YAML document that was read from a file."""

    file: str
    root: YamlNode

    @property
    def value(self) -> Any:
        """Return the document as plain dicts, tuples and scalars."""
        return self.root.value

    def place(self, path: Path) -> Place:
        """Return where a path stands; a path that was not written stands where its nearest parent does."""
        return self.root.at(path).place
