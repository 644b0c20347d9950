"""What happens in a cluster, as series that are recorded: of them Grafana's marks and the tables of events are made.

Each series is an event and there for as long as it lasts; its value is when it began, in seconds since 1970.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

RECORD = "cluster:event_timestamp_seconds:max"
EVENT = "event"
"""Its label for what kind of event it is."""
LABELS = ("cluster", "queue", "node_name", "node", "jobid", "user", "text")
"""The others: where it happened, to whom, and what is said of it. An event has some of them."""


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """A kind of event: see events.yaml."""

    event: str
    marks: str
    """What its marks are called."""
    colour: str
    needs: tuple[str, ...]
    expr: str
    timed: bool = False
    lasts: bool = False
    unhurried: bool = False
    enabled: bool = True

    @property
    def rule(self) -> dict[str, Any]:
        """Return what Prometheus records: when it began is remembered in the series itself where nobody tells it."""
        of = f"max by ({', '.join(LABELS)}) ({self.expr})"
        known = f'({RECORD}{{{EVENT}="{self.event}"}} and ignoring ({EVENT}) {of})'
        expr = of if self.timed else f"{known} or ignoring ({EVENT}) {of} * 0 + time()"
        return {"record": RECORD, "expr": expr, "labels": {EVENT: self.event}}


@cache
def events() -> tuple[ClusterEvent, ...]:
    """Return all kinds. An unknown key is a TypeError."""
    content: list[dict[str, Any]] = yaml.load(
        Path(__file__).with_name("events.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return tuple(ClusterEvent(**{**entry, "needs": tuple(entry["needs"])}) for entry in content)
