"""Reads facts that change with the version of ParallelCluster: what always held, then what each line changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.source import FactsBySource, Source, merge_facts, sources_by_fact

_VERSION = re.compile(r"(\d+\.\d+)(\.\d+)?")


def line_of(version: str) -> str:
    """Return the line of a version, 3.16 for 3.16.1; nothing where it is no version."""
    parts = _VERSION.fullmatch(version)
    return "" if parts is None else parts[1]


def number_of(line: str) -> tuple[int, ...]:
    """Return what lines are sorted by: 3.9 comes before 3.10."""
    return tuple(int(number) for number in line.split("."))


def facts_of(data: dict[str, Any], version: str, where: str) -> dict[str, Any] | None:
    """Return fact and value of a version, or None where nobody has compared its line with the file."""
    if line_of(version) not in data["compared_lines"]:
        return None
    return {fact: value for facts in _until(data, version) for fact, value in merge_facts(facts, where).items()}


def sources_of(data: dict[str, Any], version: str, sources: Mapping[str, Source], where: str) -> dict[str, Source]:
    """Return fact and source of a version; empty where nobody has compared its line with the file."""
    if line_of(version) not in data["compared_lines"]:
        return {}
    return {
        fact: source
        for facts in _until(data, version)
        for fact, source in sources_by_fact(facts, sources, where).items()
    }


def _until(data: dict[str, Any], version: str) -> Iterator[FactsBySource]:
    yield data["every_version"]
    for line, facts in data["changed_in"].items():
        if number_of(line) <= number_of(line_of(version)):
            yield facts
