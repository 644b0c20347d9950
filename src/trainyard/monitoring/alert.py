"""Alerts, as data: alerts/<id>.yaml. What Prometheus takes is made of them by prometheus_rules.py."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.monitoring.features import NEEDS

FOLDER = Path(__file__).with_name("alerts")
_NO_ALERTS = FOLDER.with_name("no_alerts.yaml")
# The order is that of the page and of the rules.
GROUPS = {
    "gpu": "GPUs",
    "neuron": "Neuron devices",
    "efa": "EFA",
    "node": "Nodes and file systems",
    "slurm": "Slurm",
    "collection": "The figures themselves",
}
SEVERITIES = {
    "critical": "something is broken, and jobs suffer or are about to",
    "warning": "look at it today",
    "info": "good to know when something else is wrong",
}
# https://prometheus.io/docs/prometheus/latest/configuration/configuration/ has more units than these three.
_DURATION = re.compile(r"[0-9]+[smh]")
_LONG_S = 600
_NODE_NAME = "* on (cluster, instance_id) group_left (node) node:name:max"
_MAY_BE_EMPTY = ("needs", "names_node")
_LABEL = re.compile(r"{{ \$labels\.([a-z_]+) }}")
_VALUE = re.compile(r"{{ \$value(?: \| [A-Za-z]+(?: \"[^\"]*\")?)? }}")


@dataclass(frozen=True, slots=True)
class Alert:
    """A condition that somebody should know of, and what to do then."""

    id: str
    """Also the name of its file, of the alert in Prometheus, and of its section in docs/alerts.md."""
    group: str
    severity: str
    expr: str
    for_: str
    """How long it has to hold."""
    summary: str
    """One line, a template of Prometheus: https://prometheus.io/docs/prometheus/latest/configuration/template_examples/"""
    description: str
    """A template as well."""
    panel: str
    """Where it is seen: the ids of a dashboard and of one of its panels, such as job/tensor. See alert_panel.py."""
    remedy: tuple[str, ...]
    """Steps, in their order."""
    why: str
    """Why it is asked in this way, and which false alarms it avoids."""
    sources: tuple[str, ...]
    read: dt.date
    """When the sources were read."""
    needs: tuple[str, ...] = ()
    """What a cluster has to have for it to fire: of the needs of dashboards."""
    names_node: bool = False
    """Whether it is about an instance: then it gets the label `node`, which is what Slurm calls it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be right. Raises ValueError: an error in our own data is a bug, which a test finds."""
        filled = [field.name for field in fields(self) if field.name not in _MAY_BE_EMPTY]
        empty = [name for name in filled if not getattr(self, name)]
        if empty:
            raise ValueError(f"{self.id}: {', '.join(empty)} must not be empty")
        if self.group not in GROUPS or self.severity not in SEVERITIES or not _DURATION.fullmatch(self.for_):
            raise ValueError(
                f"{self.id}: group {self.group!r}, severity {self.severity!r} or for {self.for_!r} is wrong"
            )
        if not set(self.needs) <= set(NEEDS):
            raise ValueError(f"{self.id}: needs {', '.join(self.needs)} is wrong")
        if not all(source.startswith("https://") for source in self.sources):
            raise ValueError(f"{self.id}: a source is a URL that begins with https://")

    @property
    def is_urgent(self) -> bool:
        """Whether each minute counts: of all others every second one does, as they hold for long or can wait a day."""
        held = int(self.for_[:-1]) * {"s": 1, "m": 60, "h": 3600}[self.for_[-1]]
        return self.severity == "critical" and held < _LONG_S

    @property
    def rule(self) -> str:
        """Return what Prometheus evaluates: the expression, with the name of the node where it is about one."""
        return f"({self.expr})\n{_NODE_NAME}" if self.names_node else self.expr


@cache
def alerts() -> tuple[Alert, ...]:
    """Return all alerts, by group and then by id."""
    order = list(GROUPS)
    all_alerts = [alert_of(file.stem, _content(file)) for file in FOLDER.glob("*.yaml")]
    return tuple(sorted(all_alerts, key=lambda alert: (order.index(alert.group), alert.id)))


def alerts_for(has: Iterable[str]) -> tuple[Alert, ...]:
    """Return those that can fire in a cluster with so much: see `features_of`."""
    features_given = frozenset(has)
    return tuple(alert for alert in alerts() if features_given.issuperset(alert.needs))


def alert_of(id_: str, content: dict[str, Any]) -> Alert:
    """Return an alert of the content of its file. An unknown or missing key is a TypeError."""
    named = {"for_" if key == "for" else key: value for key, value in content.items()}
    lists = {key: tuple(value) for key, value in named.items() if isinstance(value, list)}
    return Alert(id=id_, **{**named, **lists})


def _content(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content


def readable_template(template: str) -> str:
    """Return a template of Prometheus with the names of its labels in place of their values."""
    return _VALUE.sub("…", _LABEL.sub(lambda match: f"`{match[1].upper()}`", template))


def title(template: str) -> str:
    """Return the same for a heading, in which marks would be in the way."""
    return _VALUE.sub("…", _LABEL.sub(lambda match: f"<{match[1]}>", template))


def no_alerts() -> list[dict[str, Any]]:
    """Return what has no alert: ``what`` it is, ``why``, its ``metrics``, and ``beside`` which alert it stands."""
    entries: list[dict[str, Any]] = yaml.safe_load(_NO_ALERTS.read_text(encoding="utf-8"))
    return entries
