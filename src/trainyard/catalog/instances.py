"""Finds instance types in the catalog, their EFA and what Slurm has to be told of their processors.

Only the file of the family that is asked for is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.catalog import catalog_file
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_FOLDER = catalog_file.FOLDER / "instances"
_NAME = re.compile(r"([a-z0-9-]+)\.[a-z0-9-]+")


class Family(NamedTuple):
    """The instance types of one file, and for each of them the source of every fact."""

    types: Mapping[str, InstanceType]
    sources: Mapping[str, Mapping[str, Source]]


def find(name: str) -> InstanceType | None:
    """Return the facts of an instance type, or None where the catalog has none."""
    family = _family_of(name)
    return None if family is None else family.types.get(name)


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of an instance type; empty where the catalog has no facts."""
    family = _family_of(name)
    return {} if family is None else family.sources.get(name, {})


def names() -> tuple[str, ...]:
    """Return every instance type of the catalog, sorted. Reads every family."""
    return tuple(sorted(name for family in families() for name in _family(family).types))


@cache
def families() -> tuple[str, ...]:
    """Return every family of the catalog, sorted. Reads no file."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def _family_of(name: str) -> Family | None:
    # The name may come from anybody's file. It becomes a path only when it is one of our own family names.
    parts = _NAME.fullmatch(name)
    return _family(parts[1]) if parts is not None and parts[1] in families() else None


@cache
def _family(name: str) -> Family:
    return family_in(catalog_file.content(_FOLDER / f"{name}.yaml"), f"catalog/instances/{name}.yaml")


def family_in(data: dict[str, Any], where: str) -> Family:
    """Return the content of a family's file. Raises TrainyardError where a fact has two sources or an unknown one."""
    types = {name: {"name": name, **merge_facts(facts, f"{where} ({name})")} for name, facts in data["types"].items()}
    file = catalog_file.validated({**{key: data[key] for key in data if key != "types"}, "instance_types": types})
    return Family(
        types=file.instance_types or {},
        sources={
            name: sources_by_fact(facts, file.sources, f"{where} ({name})") for name, facts in data["types"].items()
        },
    )


def slurm_topology(instance_type: str) -> tuple[int, int, int] | None:
    """Return sockets, cores of a socket and threads of a core, as slurmd finds them; None where a part is unknown.

    ParallelCluster gives Slurm the CPUs only, from which Slurm makes as many sockets of one core.
    https://github.com/aws/aws-parallelcluster/issues/5797
    """
    facts = find(instance_type)
    if facts is None or facts.sockets is None or facts.cores is None or facts.threads_per_core is None:
        return None
    return facts.sockets, facts.cores // facts.sockets, facts.threads_per_core


def uses_efa(instance_type: str, asked_for: bool | None) -> bool:  # noqa: FBT001  a field of the spec, as written
    """Return what was asked for; where nothing was, whether the type is known to have EFA."""
    if asked_for is not None:
        return asked_for
    facts = find(instance_type)
    return bool(facts is not None and facts.has_efa)
