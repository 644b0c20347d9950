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


class Deciding(NamedTuple):
    """What deciding.yaml says."""

    slack: dt.timedelta
    links: dict[str, LinkKind]
    over_after: dt.timedelta
    one_node: frozenset[str]
    confidence: dict[str, int]


@cache
def deciding() -> Deciding:
    """Return the numbers."""
    told: dict[str, Any] = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return Deciding(
        dt.timedelta(seconds=told["slack_s"]),
        {kind: LinkKind(dt.timedelta(seconds=one["reach_s"]), one["weight"]) for kind, one in told["links"].items()},
        dt.timedelta(seconds=told["over_after_s"]),
        frozenset(told["one_node"]),
        told["confidence"],
    )
