"""Estimates how many minutes a stage of a deployment takes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.catalog import catalog_file
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_PATH = catalog_file.FOLDER / "step_minutes.yaml"
_WHERE = "catalog/step_minutes.yaml"


def stage_minutes(stage: str) -> tuple[int, int] | None:
    """Return least and most minutes of a stage such as infrastructure; None where nobody measured it."""
    return _minutes().get(stage)


def sources_of(stage: str) -> Mapping[str, Source]:
    """Return the source of an estimate, by the name of its stage; empty where there is none."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    facts = sources_by_fact(data["stages"], sources, _WHERE)
    return {stage: facts[stage]} if stage in facts else {}


@cache
def _minutes() -> Mapping[str, tuple[int, int]]:
    data = catalog_file.content(_PATH)
    minutes = merge_facts(data["stages"], _WHERE)
    return catalog_file.validated({"sources": data["sources"], "minutes": minutes}).minutes or {}
