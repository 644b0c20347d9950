"""Estimates how many minutes nodes take to install what a setup asks for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from trainyard.catalog import catalog_file
from trainyard.catalog.source import Source, merged, sources_by_fact

if TYPE_CHECKING:
    from collections.abc import Mapping

_PATH = catalog_file.FOLDER / "bootstrap_minutes.yaml"
_WHERE = "catalog/bootstrap_minutes.yaml"
_SECTIONS = ("setups", "components", "nodes")


def bootstrap_minutes(setup: str) -> tuple[int, int] | None:
    """Return least and most minutes of a compute node with a setup such as gpu; None where nobody measured it."""
    return _minutes("setups").get(setup)


def component_minutes(component: str) -> tuple[int, int] | None:
    """Return least and most minutes of one component such as efa; None where nobody measured it."""
    return _minutes("components").get(component)


def head_node_minutes() -> tuple[int, int]:
    """Return least and most minutes of a head node with monitoring."""
    return _minutes("nodes")["head-node"]


def sources_of(name: str) -> Mapping[str, Source]:
    """Return the source of an estimate, by the name of its setup, component or node; empty where there is none."""
    data = catalog_file.content(_PATH)
    sources = catalog_file.validated({"sources": data["sources"]}).sources
    facts = {
        fact: source for part in _SECTIONS for fact, source in sources_by_fact(data[part], sources, _WHERE).items()
    }
    return {name: facts[name]} if name in facts else {}


@cache
def _minutes(section: str) -> Mapping[str, tuple[int, int]]:
    data = catalog_file.content(_PATH)
    minutes = merged(data[section], _WHERE)
    return catalog_file.validated({"sources": data["sources"], "minutes": minutes}).minutes or {}
