"""What Prometheus records of what it scrapes, for dashboards to stay quick: recorded.yaml, as rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

NODE_LABELS = ("cluster", "instance_id", "instance_type", "node_name", "node_type", "queue")
"""Those of a series that is recorded of a node: which one it is."""


@cache
def recorded_metrics() -> dict[str, frozenset[str]]:
    """Return the names of what is recorded, with the labels that each has."""
    listed = (rule for rules in _content().values() for rule in rules)
    return {rule["record"]: frozenset(rule.get("by", NODE_LABELS)) for rule in listed}


@cache
def recording_groups() -> tuple[dict[str, Any], ...]:
    """Return the rules in groups, as Prometheus reads them. They are evaluated as often as it is told for all rules."""
    return tuple(
        {"name": f"trainyard-recorded-{name}", "rules": [_rule(**rule) for rule in rules]}
        for name, rules in _content().items()
    )


def _rule(record: str, aggregate: str, of: str, by: Sequence[str] = NODE_LABELS, only: str = "") -> dict[str, str]:
    return {"record": record, "expr": f"{aggregate} by ({', '.join(by)}) ({of}) {only}".rstrip()}


@cache
def _content() -> dict[str, list[dict[str, Any]]]:
    file = Path(__file__).with_name("recorded.yaml")
    content: dict[str, list[dict[str, Any]]] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
