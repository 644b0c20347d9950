"""Where a fact comes from, and the form that every catalog file has: facts below the source that states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from trainyard.errors import TrainyardError
from trainyard.field import Text
from trainyard.record import Record

FactsBySource = dict[str, dict[str, Any]]
"""What is known about one thing: source id, then fact, then value."""


class Source(Record):
    """A document that states facts, and when it was read."""

    what: str
    """What the document is."""
    url: Annotated[str, Text(r"^https://[^\s]+$", "an https address")]
    """Where everybody can read it."""
    read: Annotated[str, Text(r"^20\d\d-[01]\d-[0-3]\d$", "a date such as 2026-11-20, in quotes")]
    """When the facts were last compared with it."""
    published: Annotated[str, Text(r"^20\d\d-[01]\d-[0-3]\d$", "a date such as 2026-11-20, in quotes")] | None = None
    """Of when its facts are, where it says so and that is long before they were read."""


def merge_facts(facts_by_source: FactsBySource, where: str) -> dict[str, Any]:
    """Return fact and value, without the sources. Two sources for one fact are an error: which one holds?"""
    return {fact: facts_by_source[source][fact] for fact, source in _source_ids(facts_by_source, where)}


def merged_by_name(section: Mapping[str, FactsBySource], where: str) -> dict[str, dict[str, Any]]:
    """Return fact and value of every thing in a section of a file; its name is one of its facts."""
    return {name: {"name": name, **merge_facts(facts, f"{where} ({name})")} for name, facts in section.items()}


def sources_by_fact(facts_by_source: FactsBySource, sources: Mapping[str, Source], where: str) -> dict[str, Source]:
    """Return the source of every fact. A source that the file does not describe is an error."""
    unknown = facts_by_source.keys() - sources.keys()
    if unknown:
        problem = f"the source {min(unknown)!r} is not described"
        raise TrainyardError(problem, where=where, hint="add it to `sources` in the same file")
    return {fact: sources[source] for fact, source in _source_ids(facts_by_source, where)}


def _source_ids(facts_by_source: FactsBySource, where: str) -> Iterator[tuple[str, str]]:
    first: dict[str, str] = {}
    for source, facts in facts_by_source.items():
        for fact in facts:
            if fact in first:
                problem = f"the fact {fact!r} stands under two sources, {first[fact]!r} and {source!r}"
                raise TrainyardError(problem, where=where, hint="keep the one that holds, name the other in a comment")
            first[fact] = source
            yield fact, source
