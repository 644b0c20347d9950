"""Estimates how many seconds each step of a node takes when the node comes up."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

Seconds = tuple[int, int]
"""The least and the most that something is estimated to take."""

BOOT = "boot"
"""What ParallelCluster itself takes, before and after its custom actions."""
IN_PLACE = "in-place"
"""A step that finds everything as it should be."""

_PATH = catalog_file.FOLDER / "bootstrap_times.yaml"
_WHERE = "catalog/bootstrap_times.yaml"


def step_seconds(step: str, *variants: str) -> Seconds | None:
    """Return least and most seconds of a step; None where nobody measured it.

    ``variants`` are a role and an operating system, such as head and ubuntu2204: an estimate for one of them goes
    before the one for all.
    """
    return _seconds().get(_fact(step, variants))


def source_of(step: str, *variants: str) -> Source | None:
    """Return where an estimate comes from; None where there is none."""
    return _sources().get(_fact(step, variants))


def _fact(step: str, variants: tuple[str, ...]) -> str:
    names = (f"{step}@{variant}" for variant in variants)
    return next((name for name in names if name in _seconds()), step)


@cache
def _seconds() -> Mapping[str, Seconds]:
    data = catalog_file.content(_PATH)
    seconds = merge_facts(data["seconds"], _WHERE)
    return catalog_file.validated({"sources": data["sources"], "seconds": seconds}).seconds or {}


@cache
def _sources() -> Mapping[str, Source]:
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["seconds"], sources, _WHERE)
