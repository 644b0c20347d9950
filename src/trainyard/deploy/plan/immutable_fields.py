"""What of a spec can be set when a cluster is created and never again.

Other changes may need a stopped fleet or stopped login nodes; catalog/update_policies.py knows which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath

import yaml

from trainyard.catalog import update_policies
from trainyard.catalog.source import Source
from trainyard.finding import Path, path_text
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

# What is said about a file system that exists; the rest describes one to be made, which has no id yet.
_OF_EXISTING = ("id", "access_point", "encryption_in_transit", "iam_authorization")
_ONLY_OF_EXISTING = ("id", "access_point")


@dataclass(frozen=True, slots=True)
class ImmutableField:
    """A field of the spec that keeps its value as long as what it describes exists."""

    path: str
    """As people write it: head_node.instance_type. It may be one that the spec leaves to its default."""
    why: str
    source: Source


def cannot_change_later(spec: Spec) -> tuple[ImmutableField, ...]:
    """Return the fields that no update can change, each once. What is unknown of a version is said in the first one."""
    first: dict[str, ImmutableField] = {}
    for field in (*platform_of(spec).plan().immutable_fields(spec), *_of_stacks(spec)):
        first.setdefault(field.path, field)
    return tuple(first.values())


def paths_in(spec: Spec, pattern: str) -> Iterator[Path]:
    """Yield the fields of a spec that a pattern such as ``file_systems[].ebs.id`` stands for."""
    return (_as_written(spec, path) for path in positions_in(spec, pattern) if _is_there(spec, path))


def positions_in(spec: Spec, pattern: str) -> Iterator[Path]:
    """Yield the paths that a pattern stands for, with the positions that the spec has."""
    steps = tuple(pattern.replace("[]", ".[]").split("."))
    if "[]" not in steps:
        yield steps
        return
    place = steps.index("[]")
    for position in range(_count(spec, steps[place - 1])):
        yield (*steps[:place], position, *(0 if step == "[]" else step for step in steps[place + 1 :]))


def _of_stacks(spec: Spec) -> Iterator[ImmutableField]:
    for key, source in update_policies.immutable_properties().items():
        kind, _, name = key.rpartition(".")
        for pattern in _stack_properties()[key]:
            for path in paths_in(spec, pattern):
                if _is_made(spec, key, path):
                    yield ImmutableField(path_text(path), f"CloudFormation replaces {kind} when {name} changes", source)


def _as_written(spec: Spec, path: Path) -> Path:
    one_pool = path[0] == "login_nodes" and not isinstance(spec.login_nodes, tuple)
    return (path[0], *path[2:]) if one_pool else path


def _is_there(spec: Spec, path: Path) -> bool:
    match path:
        case ("file_systems", int(index), kind, field):
            file_system = spec.file_systems[index]
            is_new = file_system.settings.id is None
            return file_system.kind == kind and (field not in _ONLY_OF_EXISTING if is_new else field in _OF_EXISTING)
        case _:
            return True


def _is_made(spec: Spec, key: str, path: Path) -> bool:
    """Say whether the stacks of the spec make what a property belongs to."""
    file_systems = any(
        file_system.kind in ("lustre", "openzfs") and file_system.settings.id is None
        for file_system in spec.file_systems
    )
    if path == ("network", "availability_zone") or key.startswith("AWS::EC2"):
        return spec.network.existing is None
    return file_systems


def _count(spec: Spec, items: str) -> int:
    match items:
        case "Pools" | "login_nodes":
            return len(tuple(spec.login_pools()))
        case "SharedStorage" | "file_systems":
            return len(spec.file_systems)
        case "SlurmQueues":
            return len(spec.queues)
        case _:
            return 1  # of a list such as the tags, the first item speaks for all


@cache
def _stack_properties() -> Mapping[str, list[str]]:
    with FilePath(__file__).with_name("immutable_fields.yaml").open("rb") as file:
        properties: Mapping[str, list[str]] = yaml.load(file, Loader=yaml.CSafeLoader)
    return properties
