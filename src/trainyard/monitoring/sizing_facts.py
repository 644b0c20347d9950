"""The figures of sizing.yaml, without their sources."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping


def facts(section: str) -> dict[str, Any]:
    """Return the figures of a section."""
    return _merged(_data()[section])


def price_facts(region: str) -> dict[str, Any] | None:
    """Return what Amazon Managed Prometheus charges in a region, or None where no public source says."""
    found = _data()["prices"].get(region)
    return None if found is None else _merged(found)


def _merged(by_source: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {fact: value for found in by_source.values() for fact, value in found.items()}


@cache
def _data() -> Mapping[str, Any]:
    file = Path(__file__).with_name("sizing.yaml")
    content: Mapping[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
