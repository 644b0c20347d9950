"""Finds instance types in the catalog, their EFA and what Slurm has to be told of their processors.

A type that was researched has its facts in the file of its family in instances/. All others have what EC2 itself says,
in ec2_instance_types.json, which tools/ec2_instance_types.py writes. Of both only the family that is asked for is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from pydantic_core import from_json

from trainyard.catalog import catalog_file
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_FOLDER = catalog_file.FOLDER / "instances"
DESCRIBED = catalog_file.FOLDER / "ec2_instance_types.json"
"""A line for each family, as tools/ec2_instance_types.py writes it."""
_NAME = re.compile(r"([a-z0-9-]+)\.[a-z0-9-]+")


class Family(NamedTuple):
    """The instance types of one file, and for each of them the source of every fact."""

    types: Mapping[str, InstanceType]
    sources: Mapping[str, Mapping[str, Source]]


def find(name: str) -> InstanceType | None:
    """Return the facts of an instance type, or None where the catalog has none."""
    family = _family_of(name)
    return None if family is None else family.types[name]


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of an instance type; empty where the catalog has no facts."""
    family = _family_of(name)
    return {} if family is None else family.sources[name]


@cache
def names() -> tuple[str, ...]:
    """Return every instance type of the catalog, sorted. Reads everything."""
    described = from_json(DESCRIBED.read_bytes())
    named = {name for family, types in described.items() if family != "sources" for name in types}
    return tuple(sorted(named.union(researched_names())))


def researched_names() -> tuple[str, ...]:
    """Return the instance types about which more is known than EC2 says, sorted. Reads every family of them."""
    return tuple(sorted(name for family in families() for name in _family(family).types))


@cache
def families() -> tuple[str, ...]:
    """Return every family that was researched, sorted. Reads no file."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.yaml")))


def _family_of(name: str) -> Family | None:
    """Return the family that has the type, None where the catalog has no such type."""
    # The name may come from anybody's file. It becomes a path only when it is one of our own family names.
    parts = _NAME.fullmatch(name)
    if parts is None:
        return None
    if parts[1] in families() and name in _family(parts[1]).types:
        return _family(parts[1])
    described = _described_family(parts[1])
    return described if name in described.types else None


@cache
def _family(name: str) -> Family:
    return family_in(catalog_file.content(_FOLDER / f"{name}.yaml"), f"catalog/instances/{name}.yaml")


@cache
def _described_family(name: str) -> Family:
    """Return what EC2 says of a family. Only its line is read as JSON: all of them take as long as twenty rules."""
    content = DESCRIBED.read_bytes()
    types = None if name == "sources" else catalog_file.json_line(content, name)
    if types is None:
        return Family({}, {})
    sources = catalog_file.json_line(content, "sources")
    catalog_file.note_look(DESCRIBED, (source["read"] for source in sources.values()))
    return family_in({"sources": sources, "types": types}, f"catalog/{DESCRIBED.name} ({name})")


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
