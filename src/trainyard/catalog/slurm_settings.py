"""Finds the settings of Slurm that a version of ParallelCluster refuses."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

from trainyard.catalog import by_version, catalog_file
from trainyard.catalog.refused_slurm_settings import RefusedSlurmSettings
from trainyard.catalog.source import Source

Level = Literal["cluster", "queue", "compute_resource"]

_PATH = catalog_file.FOLDER / "slurm_settings.yaml"
_WHERE = "catalog/slurm_settings.yaml"


def refused_settings(version: str, level: Level, *, accounting: bool = False) -> frozenset[str] | None:
    """Return the settings refused at a level, in lower case; None where the version's line is unknown.

    Accounting adds settings at the level of the cluster and changes nothing elsewhere.
    """
    refused = _refused(by_version.line_of(version))
    if refused is None:
        return None
    settings: tuple[str, ...] = getattr(refused, level)
    return frozenset(settings + refused.accounting if accounting and level == "cluster" else settings)


def sources_of(version: str) -> Mapping[str, Source]:
    """Return list and source of a version; empty where its line is unknown."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return by_version.sources_of(data, version, sources, _WHERE)


@cache
def _refused(line: str) -> RefusedSlurmSettings | None:
    data = catalog_file.content(_PATH)
    facts = by_version.facts_of(data, line, _WHERE)
    return catalog_file.validated({"sources": data["sources"], "refused_slurm_settings": facts}).refused_slurm_settings
