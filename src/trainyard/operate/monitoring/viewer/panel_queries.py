"""Asks Prometheus what a panel wants to know, without reading more of a large cluster than is shown.

A panel of 1,000 nodes shows 20. Its query is asked for the newest moment first; then, for the whole time, only about
the nodes of the first 20 series, by way of the variable `$node`. Where that gives other values than the first answer,
because the query compares nodes with each other, the query is asked as it is, with fewer points.

A table of the first 20 of 8,000 GPUs is asked of the first nodes alone, where it is recorded which those are.

Totals of very many series are asked for as they are recorded. What is recorded every two minutes has no more points
than that, however short the step of the page is. What needs a metric that nobody has told, such as one of devices that
the cluster does not have, is not asked for.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from trainyard.edge.prometheus_api import Labels, Sample, Series
from trainyard.errors import TrainyardError
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recording_intervals_s
from trainyard.operate.monitoring.viewer.memory import Memory
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables
from trainyard.operate.monitoring.viewer.source import MetricsSource

_NODE_LABEL = re.compile(r'([A-Za-z_]\w*)\s*=~\s*"\$node"')
# Measured with Prometheus 2.42 on two busy cores: benchmarks/README.md has how long so much takes.
_MOST_READ = 70_000
_MOST_RETURNED = 150_000
_FEWEST_POINTS = 31
_KEEP_S = 20.0
_MOST_NODES = 100
_OF_THE_SELECTION = '{cluster=~"$cluster", queue=~"$queue"}'
_OF_THE_JOB = (
    " and on (cluster, instance_id) "
    'node:job:max{cluster=~"$cluster", partition=~"$queue", user=~"$user", jobid=~"$job"}'
)
_RANKED = re.compile(r"\s*(topk|bottomk)\s*\(\s*([0-9]{1,4})\s*,(.*)\)\s*", re.DOTALL)
# Every metric that a dashboard asks for has its labels behind it.
_METRIC = re.compile(r"([A-Za-z_:][A-Za-z0-9_:]*)\s*\{")
# What can give something where a metric is missing:
# https://prometheus.io/docs/prometheus/latest/querying/operators/
# https://prometheus.io/docs/prometheus/latest/querying/functions/
_MAY_COME_OF_NOTHING = re.compile(r"\b(or|unless|absent|absent_over_time|vector|scalar)\b")
_LONGEST_LOOK_BACK_S = 31 * 86_400
"""Of any query of a dashboard: what a month has cost."""
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


class QueryResult(NamedTuple):
    """Series of one query, and how many there are in all."""

    series: list[Series]
    total: int
    window: Window


@dataclass
class PanelQueries:
    """Asks one Prometheus, and remembers for a moment."""

    api: MetricsSource
    _memory: Memory = field(default_factory=lambda: Memory(_KEEP_S))
    _whole: set[str] = field(default_factory=set)
    """Queries that compare nodes with each other."""

    def newest(self, expr: str, selection: Selection, window: Window, most: int) -> QueryResult:
        """Return the newest values, the highest where there are too many."""
        if self._is_empty(expr, window):
            return QueryResult([], 0, window)
        among = self._first_nodes(expr, selection, window) or selection
        samples = self._instant(fill_variables(expr, among, window), window.end_s)[0]
        first = Ranking(expr, most).first(samples)
        return QueryResult(
            [Series(sample.labels, [(sample.at_s, sample.value)]) for sample in first], len(samples), window
        )

    def _first_nodes(self, expr: str, selection: Selection, window: Window) -> Selection | None:
        """Return the nodes among which the first few of a query are; None where nothing tells."""
        series = node_series().get(expr)
        if series is None or selection.node:
            return None
        ranked = ranking(expr, _MOST_NODES)
        # What is recorded is up to a scrape interval old: with more nodes than are shown, none is missed for that.
        most = min(2 * ranked.most, _MOST_NODES)
        of_job = _OF_THE_JOB if "$job" in expr else ""
        wanted = f"{'bottomk' if ranked.lowest else 'topk'}({most}, {series}{_OF_THE_SELECTION}{of_job})"
        samples = self._instant(fill_variables(wanted, selection, window), window.end_s)[0]
        first = Ranking(series, most, ranked.lowest).first(samples)
        nodes = {sample.labels.get("node_name", "") for sample in first} - {""}
        return replace(selection, node=tuple(sorted(nodes))) if nodes else None

    def over_time(self, expr: str, selection: Selection, window: Window, most: int) -> QueryResult:
        """Return series over the whole time, the first by their newest value where there are too many."""
        if self._is_empty(expr, window):
            return QueryResult([], 0, window)
        total = recorded_totals().get(expr)
        if (
            total is not None
            and not selection.node
            and (answer := self.over_time(total, selection, window, most)).total
        ):
            return answer
        ranked = ranking(expr, most)
        window = window.at_least(recorded_step_s(expr), _FEWEST_POINTS)
        query = fill_variables(ranked.expr, selection, window)
        samples, read = self._instant(query, window.end_s)
        affordable = window.coarser(_affordable(read, len(samples)))
        if len(samples) > ranked.most:
            picked = ranked.first(samples)
            return self._narrowed(ranked.expr, selection, window, picked, len(samples)) or self._picked(
                ranked.expr, selection, affordable, picked
            )
        series = self._range(fill_variables(ranked.expr, selection, affordable), affordable)
        return QueryResult(_current_first(series, samples, ranked.most), max(len(series), len(samples)), affordable)

    def _narrowed(
        self, expr: str, selection: Selection, window: Window, picked: list[Sample], total: int
    ) -> QueryResult | None:
        """Return the picked series, asked of their nodes alone; None where that would change them."""
        nodes = _nodes(expr, picked)
        if nodes is None or expr in self._whole:
            return None
        series = _only(self._range(fill_variables(expr, replace(selection, node=nodes), window), window), picked)
        if not _same_newest(series, picked, window.end_s):
            self._whole.add(expr)
            return None
        return QueryResult(series, total, window)

    def _picked(self, expr: str, selection: Selection, window: Window, picked: list[Sample]) -> QueryResult:
        series = self._range(fill_variables(expr, selection, window), window)
        return QueryResult(_only(series, picked), len(series), window)

    def _is_empty(self, expr: str, window: Window) -> bool:
        """Return whether a query gives nothing because one of its metrics is not there."""
        query = _STRING.sub("", expr)
        if _MAY_COME_OF_NOTHING.search(query):
            return False
        told: frozenset[str] = self._memory.get(("names", window.start_s, window.end_s), lambda: self._names(window))
        return bool(told) and not told.issuperset(_METRIC.findall(query))

    def _names(self, window: Window) -> frozenset[str]:
        """Return the names of all metrics, or none where nobody tells them: then everything is asked for."""
        start_s = window.start_s - _LONGEST_LOOK_BACK_S
        try:
            return frozenset(self.api.label_values("__name__", (), start_s, window.end_s))
        except TrainyardError:
            return frozenset()

    def _instant(self, query: str, at_s: int) -> tuple[list[Sample], int]:
        def ask() -> tuple[list[Sample], int]:
            samples, read = self.api.measured_query(query, at_s)
            return samples, len(samples) if read is None else read

        answer: tuple[list[Sample], int] = self._memory.get((query, at_s), ask)
        return answer

    def _range(self, query: str, window: Window) -> list[Series]:
        answer: list[Series] = self._memory.get(
            (query, window), lambda: self.api.query_range(query, window.start_s, window.end_s, window.step_s)
        )
        return answer


def _affordable(read: int, series: int) -> float:
    """Return how many points there may be, where one of them takes so much to read and has so many series."""
    return max(_FEWEST_POINTS, min(_MOST_READ / max(read, 1), _MOST_RETURNED / max(series, 1)))


def _nodes(expr: str, picked: list[Sample]) -> tuple[str, ...] | None:
    """Return the nodes that the series belong to; None where their labels do not tell."""
    labels = set(_NODE_LABEL.findall(expr))
    nodes = {sample.labels.get(label, "") for label in labels for sample in picked}
    return tuple(sorted(nodes)) if len(labels) == 1 and nodes and "" not in nodes else None


def _current_first(series: list[Series], newest: list[Sample], most: int) -> list[Series]:
    """Return those that are there now, and of those that are not any more as many as there is room for."""
    now = {_key(sample.labels) for sample in newest}
    return sorted(series, key=lambda series: _key(series.labels) not in now)[:most]


def _only(series: list[Series], picked: list[Sample]) -> list[Series]:
    keys = {_key(sample.labels) for sample in picked}
    return [one_series for one_series in series if _key(one_series.labels) in keys]


def _same_newest(series: list[Series], picked: list[Sample], end_s: int) -> bool:
    newest = {_key(one_series.labels): one_series.points[-1] for one_series in series if one_series.points}
    return all(_is(newest.get(_key(sample.labels)), sample.value, end_s) for sample in picked)


def _is(point: tuple[float, float] | None, value: float, at_s: int) -> bool:
    if point is None or point[0] != at_s:
        return False
    return math.isclose(point[1], value, rel_tol=1e-9) or (math.isnan(point[1]) and math.isnan(value))


def _key(labels: Labels) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


class Ranking(NamedTuple):
    """A query without its ranking, and the ranking."""

    expr: str
    most: int
    lowest: bool = False

    def first(self, samples: list[Sample]) -> list[Sample]:
        """Return the first few, NaN last."""
        if len(samples) <= self.most:
            return samples
        return sorted(samples, key=self._place)[: self.most]

    def _place(self, sample: Sample) -> float:
        if math.isnan(sample.value):
            return math.inf
        return sample.value if self.lowest else -sample.value


def ranking(expr: str, most: int) -> Ranking:
    """Return what a query ranks, and by what. ``most``: what there is room for."""
    match = _RANKED.fullmatch(expr)
    if match is None or not _is_one_argument(match[3]):
        return Ranking(expr, most)
    return Ranking(match[3].strip(), min(most, int(match[2])), match[1] == "bottomk")


@cache
def recorded_step_s(expr: str) -> int:
    """Return how often anything of what a query asks for changes, if all of it is recorded; 0 where it is not."""
    intervals_s = recording_intervals_s()
    return min((intervals_s.get(name, 0) for name in _METRIC.findall(_STRING.sub("", expr))), default=0)


@cache
def node_series() -> dict[str, str]:
    """Return the recorded series by the queries that it is for."""
    return _by_query("first_nodes.yaml")


@cache
def recorded_totals() -> dict[str, str]:
    """Return the queries of what is recorded of all nodes by the queries that they stand for."""
    return _by_query("recorded_totals.yaml")


def _by_query(file: str) -> dict[str, str]:
    content: dict[str, dict[str, str]] = yaml.load(Path(__file__).with_name(file).read_bytes(), Loader=yaml.CSafeLoader)
    return {
        panel.queries[0].expr: content[dashboard.id][panel.id]
        for dashboard in dashboards()
        for panel in dashboard.panels()
        if panel.id in content.get(dashboard.id, {})
    }


def _is_one_argument(text: str) -> bool:
    """Return whether the last bracket closes the first one, so that nothing comes after topk."""
    open_brackets = 0
    for character in _STRING.sub("", text):
        open_brackets += (character in "([{") - (character in ")]}")
        if open_brackets < 0 or (character == "," and open_brackets == 0):
            return False
    return open_brackets == 0
