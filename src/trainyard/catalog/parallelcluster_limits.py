"""Finds what a version of ParallelCluster accepts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import by_version, catalog_file
from trainyard.catalog.limits import Limits
from trainyard.catalog.source import Source

_PATH = catalog_file.FOLDER / "parallelcluster_limits.yaml"
_WHERE = "catalog/parallelcluster_limits.yaml"


def limits(version: str) -> Limits | None:
    """Return the limits of a version such as 3.16.1, or None where its line, 3.16, is unknown."""
    return _limits(by_version.line_of(version))


def sources_of(version: str) -> Mapping[str, Source]:
    """Return limit and source of a version; empty where its line is unknown."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return by_version.sources_of(data, version, sources, _WHERE)


@cache
def _limits(line: str) -> Limits | None:
    data = catalog_file.content(_PATH)
    facts = by_version.facts_of(data, line, _WHERE)
    return catalog_file.validated({"sources": data["sources"], "limits": facts}).limits
