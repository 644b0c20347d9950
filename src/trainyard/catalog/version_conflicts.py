"""Finds the versions that must not meet, and compares versions with their ranges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from trainyard.catalog import catalog_file
from trainyard.catalog.catalog_file import CatalogFile
from trainyard.catalog.instances import find
from trainyard.catalog.parallelcluster import VersionRange
from trainyard.catalog.source import Source
from trainyard.catalog.version_conflict import Component, SoftwareComponent, VersionBounds, VersionConflict

Certainty = Literal["yes", "maybe", "no"]


def version_conflicts() -> Mapping[str, VersionConflict]:
    """Return every case by its name."""
    return _file().version_conflicts or {}


def components() -> Mapping[Component, SoftwareComponent]:
    """Return every component whose versions are judged."""
    return _file().components or {}


def source_of(conflict: VersionConflict) -> Source:
    """Return the source of a case."""
    return _file().sources[conflict.source]


def source_url(conflict: VersionConflict) -> str:
    """Return where everybody can read about a case."""
    return source_of(conflict).url


def is_of_family(instance_type: str, conflict: VersionConflict) -> bool:
    """Return whether a case concerns an instance type, by its family or by the generation of its EFA."""
    if conflict.families:
        return instance_type.partition(".")[0] in conflict.families
    facts = find(instance_type) if conflict.efa_generations else None
    return facts is not None and facts.accelerators is not None and facts.efa_generation in conflict.efa_generations


def is_within(version: VersionRange, bounds: VersionBounds) -> Certainty:
    """Return whether a version, which is known exactly or as a range, lies within bounds."""
    least, most = number_of(version.least), None if version.most is None else number_of(version.most)
    first, end = number_of(bounds.least or "0"), None if bounds.below is None else number_of(bounds.below)
    if (most is not None and most < first) or (end is not None and least >= end):
        return "no"
    return "yes" if first <= least and (end is None or (most is not None and most < end)) else "maybe"


def bounds_in_words(bounds: VersionBounds) -> str:
    """Return a range of versions as people say it."""
    if bounds.least is None:
        return "of any version" if bounds.below is None else f"before {bounds.below}"
    return f"from {bounds.least} on" if bounds.below is None else f"from {bounds.least}, before {bounds.below}"


def number_of(version: str) -> tuple[int, ...]:
    """Return what versions are sorted by: 2.28.7-1 comes before 2.28.10-1."""
    return tuple(int(number[:18]) for number in re.findall(r"\d+", version))


@cache
def _file() -> CatalogFile:
    return catalog_file.of_json(catalog_file.FOLDER / "version_conflicts.json")
