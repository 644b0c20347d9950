"""Dashboards, as data: dashboards/<id>.yaml. Grafana's JSON, the local viewer and `monitor verify` are made of them.

A query is PromQL with variables, which each of those fills in: ``$cluster``, ``$queue``, ``$node``, ``$user`` and
``$job`` stand for a regular expression, so that a matcher is ``cluster=~"$cluster"``. ``$__rate_interval`` stands for
the range of a rate, ``$__range`` for the time that is shown.

``$node`` has EC2's names, of the label ``node_name``. What Slurm tells has its own, ``node``: of that goes, by
``node:names:max``, what is another node. So it needs nothing that is recorded while no node is chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.monitoring.features import NEEDS
from trainyard.monitoring.grafana_files import COLUMNS

FOLDER = Path(__file__).with_name("dashboards")
# The order is that of the lists that people see.
ORDER = (
    "cluster-overview",
    "node-status",
    "slurm-jobs",
    "jobs",
    "job",
    "training-runs",
    "node",
    "gpu-performance",
    "gpu-peers",
    "nvlink-bandwidth",
    "neuron-devices",
    "efa-network",
    "host-system",
    "storage",
    "money",
)
# bars: one for each series, of its newest value; stacked, one for each name, of a part for each value of the label that
# is its column. heatmap: a row for each series, a colour for each value.
# states: a row for each series, green for 1 and red for 0. table: a row for each series of its first query, with the
# values of the others beside it. tiles: a tile for each series, those of one name together.
KINDS = ("timeseries", "stat", "gauge", "bars", "table", "heatmap", "states", "tiles")
# What a number means; each renderer has its own word for it.
UNITS = (
    "count", "percent", "ratio", "bytes", "bytes/s", "bit/s", "packets/s", "operations/s", "events/s", "celsius",
    "watt", "joule", "hertz", "seconds", "timestamp", "boolean", "usd",
)  # fmt: skip
# Each dashboard has the first three.
VARIABLES = ("cluster", "queue", "node", "user", "job")
_EVERYWHERE = VARIABLES[:3]
_OVER_TIME = ("timeseries", "heatmap", "states")
# By queue it is recorded: what several of them share is what lies between the lowest and the highest.
_USUAL = (
    ("low", "10 %", "min(", "queue:nodes:p10"),
    ("median", "median", "quantile(0.5, ", "queue:nodes:p50"),
    ("high", "90 %", "max(", "queue:nodes:p90"),
)
_ID = re.compile(r"[a-z][a-z0-9-]*")
_LEGEND_LABEL = re.compile(r"{{(\w+)}}")


@dataclass(frozen=True, slots=True)
class LinkedLabel:
    """A label whose values lead to a page about each of them."""

    label: str
    dashboard: str
    variable: str


LINKED_LABELS = (LinkedLabel("node_name", "node", "node"), LinkedLabel("jobid", "job", "job"))


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """One question of a panel."""

    expr: str
    legend: str = ""
    """What a series is called: text with labels, such as ``{{node}}``. Empty: all of its labels."""
    instant: bool = False
    """Whether only the newest value counts: so it is in all panels but those that have time as an axis."""
    role: str = ""
    """What it is drawn as, where it is no series of its own: low, median and high of what is usual, or a limit."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: a label of the result, or ``Value``, and ``Value #B`` of its second query, as in Grafana."""

    label: str
    title: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """From this value on it is a colour: green, yellow, orange, red or blue."""

    value: float
    colour: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture, number or table."""

    id: str
    """Unique in its dashboard."""
    title: str
    kind: str
    unit: str
    queries: tuple[PanelQuery, ...]
    description: str
    """How it is read, and what is no cause for alarm."""
    width: int = 12
    """Of 24 columns."""
    height: int = 8
    min: float | None = None
    max: float | None = None
    thresholds: tuple[Threshold, ...] = ()
    columns: tuple[Column, ...] = ()
    stack: bool = False
    band: str = ""
    """Of which series of nodes, named without its level and with a factor, is drawn what is usual in the queues."""
    limit: str = ""
    """What instance types have that the figures cannot exceed: a series of type_rules.py."""
    needs: tuple[str, ...] = ()
    """What the cluster has to have for it, beyond what its dashboard needs."""
    may_be_empty: str = ""
    """In which case it rightly shows nothing; empty where it always has data."""
    links: tuple[str, ...] = ()
    """Ids of dashboards to look at next."""

    def linked_labels(self) -> tuple[LinkedLabel, ...]:
        """Return the labels that are shown and lead somewhere, in columns or in the legend."""
        shown = {column.label for column in self.columns}.union(
            *(_LEGEND_LABEL.findall(query.legend) for query in self.queries)
        )
        return tuple(linked for linked in LINKED_LABELS if linked.label in shown)

    @property
    def is_stacked_bars(self) -> bool:
        """Return whether its bars have parts, named by the label of its column."""
        return self.kind == "bars" and self.stack

    @property
    def is_by_columns(self) -> bool:
        """Return whether nothing can be shown without columns."""
        return self.kind in {"table", "tiles"} or self.is_stacked_bars

    @property
    def is_of_chosen_nodes(self) -> bool:
        """Return whether it shows the chosen nodes alone, and not what there is once, such as Slurm's own counts."""
        return any("$node" in query.expr for query in self.queries)

    def value_columns(self) -> list[str]:
        """Return what the columns are called that could have the values of its queries, in the order of those."""
        return ["Value", *(f"Value #{chr(ord('A') + at)}" for at in range(1, len(self.queries)))]

    def _has_columns(self) -> bool:
        shown = {column.label for column in self.columns if column.label.startswith("Value")}
        wanted = self.value_columns()
        return bool(self.columns) and shown <= set(wanted) and shown.issuperset(wanted[1:])

    def __post_init__(self) -> None:
        """Refuse what cannot be right. Raises ValueError: an error in our own data is a bug, which a test finds."""
        wrong = [
            *([] if _ID.fullmatch(self.id) else ["id"]),
            *([] if self.kind in KINDS else ["kind"]),
            *([] if self.unit in UNITS else ["unit"]),
            *([] if self.queries else ["queries"]),
            *([] if 0 < self.width <= COLUMNS and self.height > 0 else ["width or height"]),
            *([] if set(self.needs) <= set(NEEDS) else ["needs"]),
            *([] if all(column.unit in {"", *UNITS} for column in self.columns) else ["columns"]),
            *([] if not self.is_by_columns or self._has_columns() else ["columns of a table"]),
        ]
        if wrong:
            raise ValueError(f"panel {self.id}: {', '.join(wrong)} cannot be so")


@dataclass(frozen=True, slots=True)
class PanelRow:
    """Panels under one heading."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class LogPanel:
    """Lines of logs that CloudWatch has, for Grafana alone: the local viewer reads them as `trainyard logs` does."""

    id: str
    """Unique in its dashboard, also among its other panels."""
    title: str
    group: str
    """Which log group of the cluster it reads: a key of ``log_groups`` in grafana_words.yaml, and what it needs."""
    description: str
    filter: str = ""
    """Which lines, in the language of CloudWatch Logs Insights with Grafana's variables. Empty: all of the group."""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A page of panels."""

    id: str
    """Also the name of its file, and after ``trainyard-`` its uid in Grafana."""
    title: str
    description: str
    rows: tuple[PanelRow, ...]
    needs: tuple[str, ...] = ()
    """What a cluster has to have for it to be of any use."""
    more_variables: tuple[str, ...] = ()
    """Those that one chooses by here, beyond cluster, queue and node."""
    about_one: str = ""
    """The variable of which one value is shown, not all: the page is about a node, or a job."""
    logs: tuple[str, ...] = ()
    """Commands that show its logs, with the variables, and ``$from`` and ``$to`` for the time that is shown."""
    log_panels: tuple[LogPanel, ...] = ()
    """The same logs from CloudWatch, folded until somebody opens them: each look is paid for."""

    @property
    def variables(self) -> tuple[str, ...]:
        """Return the variables that one chooses by, in their order."""
        return (*_EVERYWHERE, *self.more_variables)

    def panels(self) -> Iterator[Panel]:
        """Yield all panels in their order."""
        for row in self.rows:
            yield from row.panels


@cache
def dashboards() -> tuple[Dashboard, ...]:
    """Return all dashboards in their order."""
    all_dashboards = [dashboard_of(file.stem, _content(file)) for file in FOLDER.glob("*.yaml")]
    return tuple(sorted(all_dashboards, key=lambda dashboard: ORDER.index(dashboard.id)))


def dashboards_for(has: Iterable[str]) -> tuple[Dashboard, ...]:
    """Return those that a cluster with so much can fill, without the panels and rows that it cannot."""
    features = frozenset(has)
    return tuple(_only(dashboard, features) for dashboard in dashboards() if features.issuperset(dashboard.needs))


def dashboard_of(id_: str, content: dict[str, Any]) -> Dashboard:
    """Return a dashboard of the content of its file. An unknown or missing key is a TypeError."""
    rows = tuple(PanelRow(row["title"], tuple(map(_panel, row["panels"]))) for row in content["rows"])
    log_panels = tuple(LogPanel(**panel) for panel in content.get("log_panels", ()))
    return Dashboard(id=id_, **{**_tuples(content), "rows": rows, "log_panels": log_panels})


def _panel(content: dict[str, Any]) -> Panel:
    instant = content["kind"] not in _OVER_TIME
    parts = {
        "queries": (
            *(PanelQuery(instant=instant, **query) for query in content["queries"]),
            *_band(content.get("band", "")),
            *_limit(content.get("limit", "")),
        ),
        "columns": tuple(Column(**column) for column in content.get("columns", ())),
        "thresholds": tuple(Threshold(**threshold) for threshold in content.get("thresholds", ())),
    }
    return Panel(**{**_tuples(content), **parts})


def _band(band: str) -> Iterator[PanelQuery]:
    """Yield what is usual in the chosen queues: from the lowest tenth to the highest one, and the median."""
    subject, times, factor = band.partition(" * ")
    chosen = f'{{of="{subject}", cluster=~"$cluster", queue=~"$queue", queue!=""}}{times}{factor}'
    for role, legend, aggregate, record in _USUAL if band else ():
        yield PanelQuery(f"{aggregate}{record}{chosen})", legend, role=role)


def _limit(limit: str) -> Iterator[PanelQuery]:
    if limit:
        expr = f'max by (instance_type) ({limit}{{cluster=~"$cluster"}})'
        yield PanelQuery(expr, "line rate of {{instance_type}}", role="limit")


def _tuples(content: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}


def _only(dashboard: Dashboard, features: frozenset[str]) -> Dashboard:
    rows = (
        PanelRow(row.title, tuple(panel for panel in row.panels if features.issuperset(panel.needs)))
        for row in dashboard.rows
    )
    left = {field.name: getattr(dashboard, field.name) for field in fields(dashboard)}
    return Dashboard(**{**left, "rows": tuple(row for row in rows if row.panels)})


def _content(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
