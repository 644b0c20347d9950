"""Every key of a configuration of ParallelCluster, with what its schema knows of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.catalog.by_version import number_of
from trainyard.catalog.parallelcluster_keys import TOP, Shape, parallelcluster_kinds
from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules.documents import mapping_at

_SEQUENCE: Mapping[str, Shape] = {"Sequence": {"type": "Script", "list": True, "required": True}}


class ConfigKey(NamedTuple):
    """A key that is written, or is missing although it must be there."""

    path: Path
    value: Any
    known: Mapping[str, Shape]
    """The keys that may stand beside it."""
    is_missing: bool = False

    @property
    def name(self) -> str:
        """Return the key itself."""
        return str(self.path[-1])

    @property
    def shape(self) -> Shape | None:
        """Return what its value has to be; None where no version knows the key."""
        return self.known.get(self.name)


def config_keys(document: Document) -> Iterator[ConfigKey]:
    """Yield every key at every depth, and those that are missing; nothing below one that the newest has not."""
    yield from _keys(document.value, (), parallelcluster_kinds()[TOP])


def has_key(key: ConfigKey, line: str) -> bool:
    """Return whether a version line knows a key."""
    return key.shape is not None and line in key.shape.get("in", (line,))


def newest_line() -> str:
    """Return the newest version line whose keys are known."""
    return max(compared_lines(), key=number_of)


@cache
def compared_lines() -> frozenset[str]:
    """Return the version lines whose keys are known."""
    kinds = parallelcluster_kinds().values()
    return frozenset(str(line) for keys in kinds for shape in keys.values() for line in shape.get("in", ()))


def _keys(value: Any, path: Path, known: Mapping[str, Shape]) -> Iterator[ConfigKey]:
    if not isinstance(value, dict):
        return
    for name, member in value.items():
        key = ConfigKey((*path, name), member, known)
        yield key
        if key.shape is not None and has_key(key, newest_line()):
            yield from _below(member, key.path, key.shape)
    for name, shape in known.items():
        if shape.get("required") and name not in value:
            key = ConfigKey((*path, name), None, known, is_missing=True)
            if has_key(key, newest_line()):
                yield key


def _below(value: Any, path: Path, shape: Shape) -> Iterator[ConfigKey]:
    if shape.get("list"):
        for index, member in enumerate(value if isinstance(value, tuple) else ()):
            yield from _below(member, (*path, index), {"type": shape["type"]})
    elif shape["type"] == "scripts" and isinstance(value, dict):
        known = _SEQUENCE if "Sequence" in value else parallelcluster_kinds()["Script"]
        yield from _keys(value, path, known)
    elif shape["type"] in parallelcluster_kinds():
        yield from _keys(value, path, parallelcluster_kinds()[shape["type"]])


class Queue(NamedTuple):
    """A queue of Slurm as it is written."""

    path: Path
    written: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return its name, or how many queues come before it."""
        return str(self.written.get("Name", self.path[-1]))

    @property
    def compute_resources(self) -> Iterator[tuple[Path, Mapping[str, Any]]]:
        """Yield its compute resources with their paths."""
        return mappings_in(self.written.get("ComputeResources"), (*self.path, "ComputeResources"))


def queues(document: Document) -> Iterator[Queue]:
    """Yield the queues of Slurm."""
    path = ("Scheduling", "SlurmQueues")
    for place, written in mappings_in(mapping_at(document, "Scheduling").get("SlurmQueues"), path):
        yield Queue(place, written)


def mappings_in(value: Any, path: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the mappings of a list with their paths."""
    for index, member in enumerate(value if isinstance(value, tuple) else ()):
        if isinstance(member, dict):
            yield (*path, index), member
