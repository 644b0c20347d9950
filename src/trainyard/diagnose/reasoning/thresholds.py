"""The numbers by which reasoning decides, from deciding.yaml."""

from __future__ import annotations

import datetime as dt
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

_FILE = Path(__file__).with_name("deciding.yaml")


class LinkKind(NamedTuple):
    """How far a kind of link reaches, and what it counts for."""

    reach: dt.timedelta
    weight: float
    slack: dt.timedelta = dt.timedelta(0)
    """How much later a cause may be written down than what it brought about."""


class Thresholds(NamedTuple):
    """What deciding.yaml says."""

    links: dict[str, LinkKind]
    over_after: dt.timedelta
    one_node: frozenset[str]
    generic: frozenset[str]
    confidence: dict[str, int]


@cache
def thresholds() -> Thresholds:
    """Return the numbers."""
    content: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return Thresholds(
        {kind: _link_kind(link, content["slack_s"]) for kind, link in content["links"].items()},
        dt.timedelta(seconds=content["over_after_s"]),
        frozenset(content["one_node"]),
        frozenset(content["generic"]),
        content["confidence"],
    )


def _link_kind(link: dict[str, Any], slack_s: float) -> LinkKind:
    slack = dt.timedelta(seconds=link.get("slack_s", slack_s))
    return LinkKind(dt.timedelta(seconds=link["reach_s"]), link["weight"], slack)
