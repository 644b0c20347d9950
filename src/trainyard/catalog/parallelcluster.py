"""Finds what versions of ParallelCluster support."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import line_of, number_of
from trainyard.catalog.parallelcluster_lists import ParallelClusterLists
from trainyard.catalog.source import Source, merged, sources_by_fact

_PATH = catalog_file.FOLDER / "parallelcluster.yaml"
_WHERE = "catalog/parallelcluster.yaml"


def supported_oses(version: str) -> tuple[str, ...] | None:
    """Return the operating systems of a version such as 3.16.1, or None where its line, 3.16, is unknown."""
    line = _lists().lines.get(line_of(version))
    return None if line is None else line.supported_oses


def first_line_with(family: str) -> str | None:
    """Return the first line that supports a family of instance types, None where every known line does."""
    return next((line for line, lists in _lists().lines.items() if family in lists.new_families), None)


def is_older(version: str, line: str) -> bool:
    """Return whether a version comes before a line; never where its own line is unknown."""
    own = line_of(version)
    return own in _lists().lines and number_of(own) < number_of(line)


def known_versions() -> tuple[str, ...]:
    """Return the version lines with facts, such as 3.16, oldest first."""
    return tuple(sorted(_lists().lines, key=number_of))


def reserved_mounts() -> tuple[str, ...]:
    """Return the directories that ParallelCluster keeps for itself, the same ones in every known version."""
    return _lists().reserved_mounts


def sources_of(version: str) -> Mapping[str, Source]:
    """Return fact and source of a version; only what holds for every version where its line is unknown."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    facts = (data["lines"].get(line_of(version), {}), data["every_version"])
    return {fact: source for by_source in facts for fact, source in sources_by_fact(by_source, sources, _WHERE).items()}


@cache
def _lists() -> ParallelClusterLists:
    data = catalog_file.content(_PATH)
    lines = {line: merged(facts, f"{_WHERE} ({line})") for line, facts in data["lines"].items()}
    lists = {"lines": lines, **merged(data["every_version"], _WHERE)}
    file = catalog_file.validated({"sources": data["sources"], "parallelcluster": lists})
    assert file.parallelcluster is not None  # noqa: S101  it was given in the line above
    return file.parallelcluster
