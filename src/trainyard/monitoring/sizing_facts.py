"""The figures of sizing.yaml, without their sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml


def facts(section: str) -> dict[str, Any]:
    """Return the figures of a section."""
    return _merged(_data()[section])


def price_facts(region: str) -> dict[str, Any] | None:
    """Return what Amazon Managed Prometheus charges in a region, or None where no public source says."""
    by_source = _data()["prices"].get(region)
    return None if by_source is None else _merged(by_source)


def price_source(region: str, fact: str) -> Mapping[str, str]:
    """Return the document that states a price of a region: what it is, its URL, and when it was read."""
    data = _data()
    (id_,) = (source for source, facts in data["prices"][region].items() if fact in facts)
    source_record: Mapping[str, str] = data["sources"][id_]
    return source_record


def _merged(by_source: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {fact: value for group in by_source.values() for fact, value in group.items()}


@cache
def _data() -> Mapping[str, Any]:
    file = Path(__file__).with_name("sizing.yaml")
    content: Mapping[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
