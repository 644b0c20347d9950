"""Our rules with everything shortened, so that what takes half an hour on a cluster takes seconds in a test."""

from __future__ import annotations

import re
from typing import Any

from trainyard.monitoring.prometheus_rules import WATCHDOG, alert_rules, recording_groups

# Half an hour becomes 15 seconds, and five minutes, the least that there is, two and a half.
SHORTENED_BY = 120
LONGEST_S = 30 * 60 / SHORTENED_BY
# Two scrapes are in it even where one comes late.
_LEAST_RANGE_S = 5.0
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_OFFSET = re.compile(r"offset (\d+[smh])")
_RANGE = re.compile(r"\[(\d+[smh])\]")


def shortened_rules() -> dict[str, Any]:
    """Return what is recorded and what alarms, with all their durations shortened."""
    groups = [*recording_groups(), *alert_rules()["groups"], WATCHDOG]
    return {"groups": [*map(_shortened_group, groups)]}


def _shortened_group(group: dict[str, Any]) -> dict[str, Any]:
    """Return a group that is evaluated as often as all others."""
    return {"name": group["name"], "rules": [*map(_shortened, group["rules"])]}


def _shortened(rule: dict[str, Any]) -> dict[str, Any]:
    offsets = _OFFSET.sub(lambda match: f"offset {_short(match[1])}", rule["expr"])
    ranges = _RANGE.sub(lambda match: f"[{_short(match[1], _LEAST_RANGE_S)}]", offsets)
    return {**rule, "expr": ranges, **({"for": _short(rule["for"])} if "for" in rule else {})}


def _short(duration: str, least_s: float = 0.0) -> str:
    shortened_s = int(duration[:-1]) * _SECONDS[duration[-1]] / SHORTENED_BY
    return f"{round(max(shortened_s, least_s) * 1000)}ms"
