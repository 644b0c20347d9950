"""All that a digest shows, as plain values: page, text and JSON are made of these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from math import isfinite
from pathlib import Path
from re import escape
from typing import Any, NamedTuple

import yaml

from trainyard.catalog.prices import instance_hour
from trainyard.edge.prometheus_api import Sample
from trainyard.errors import TrainyardError
from trainyard.foreign_text import cut_line
from trainyard.operate.monitoring.viewer.source import MetricsSource
from trainyard.version import __version__

_DAY_S, _HOUR_S = 86_400, 3_600
# A week in steps of ten minutes; longer times have longer steps, so that the answers are as large.
_STEPS = 1008
_POINTS = 168
_MOST_ROWS = 12
_LONGEST = 120


class DigestPeriod(NamedTuple):
    """The time that a digest is about."""

    days: int
    end_s: float

    @property
    def step_s(self) -> int:
        """How far apart the figures are that are taken of it."""
        return max(60, self.days * _DAY_S // _STEPS)


def digest_values(
    source: MetricsSource, cluster: str | None, region: str | None, period: DigestPeriod
) -> dict[str, Any]:
    """Return the values of a digest of one cluster, or of all that a Prometheus knows.

    What cannot be answered is a note, and all else is told. Raises TrainyardError where nothing can be.
    """
    asked = _Asked(source, cluster, period)
    figures = [{**_told(figure), "value": asked.number(figure["expr"])} for figure in questions()["figures"]]
    values: dict[str, Any] = {
        "trainyard_version": __version__,
        "cluster": cluster,
        "region": region,
        "from": _time(period.end_s - period.days * _DAY_S),
        "to": _time(period.end_s),
        "days": period.days,
        "figures": figures,
        "hours": list(_hours(asked, region)),
        "tables": [{**_told(table), "rows": list(asked.rows(table))} for table in questions()["tables"]],
        "lines": [{**_told(line), "points": asked.points(line["expr"])} for line in questions()["lines"]],
    }
    if asked.failed and not asked.answered:
        raise asked.failed[0]
    return {**values, **_sums(values), "notes": _notes(values, asked)}


@cache
def questions() -> Mapping[str, Any]:
    """Return what is asked."""
    content: dict[str, Any] = yaml.load(
        Path(__file__).with_name("questions.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return content


def filled(expr: str, cluster: str | None, period: DigestPeriod) -> str:
    """Return a question for a cluster and a time."""
    pattern = ".*" if cluster is None else escape(cluster).replace("\\", "\\\\")
    words = {
        "$cluster": pattern,
        "$days": f"{period.days}d",
        "$step_hours": f"{period.step_s / _HOUR_S:.6g}",
        "$step": f"{period.step_s}s",
    }
    for word, value in words.items():
        expr = expr.replace(word, value)
    return expr


class _Asked:
    """The answers, and what there was none to."""

    def __init__(self, source: MetricsSource, cluster: str | None, period: DigestPeriod) -> None:
        self._source, self._cluster, self._period = source, cluster, period
        self.failed: list[TrainyardError] = []
        self.answered = 0

    def samples(self, expr: str) -> list[Sample]:
        try:
            found = self._source.query(filled(expr, self._cluster, self._period), self._period.end_s)
        except TrainyardError as error:
            self.failed.append(error)
            return []
        self.answered += 1
        return [sample for sample in found if isfinite(sample.value)]

    def number(self, expr: str) -> float | None:
        found = self.samples(expr)
        return found[0].value if found else None

    def rows(self, table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        in_order = sorted(
            self.samples(table["expr"]), key=lambda sample: sample.value, reverse=table["worst"] == "most"
        )
        for sample in in_order[:_MOST_ROWS]:
            labels = [cut_line(sample.labels.get(label, ""), _LONGEST) for label in table["by"]]
            yield {"labels": labels, "value": sample.value}

    def hours(self, expr: str) -> dict[str, float]:
        steps_an_hour = _HOUR_S / self._period.step_s
        return {sample.labels.get("instance_type", ""): sample.value / steps_an_hour for sample in self.samples(expr)}

    def points(self, expr: str) -> list[list[float]]:
        """Return pairs of days since the beginning and a value."""
        begin_s = self._period.end_s - self._period.days * _DAY_S
        step_s = self._period.days * _DAY_S / _POINTS
        try:
            found = self._source.query_range(
                filled(expr, self._cluster, self._period), begin_s, self._period.end_s, step_s
            )
        except TrainyardError as error:
            self.failed.append(error)
            return []
        points = found[0].points if found else []
        return [[round((at - begin_s) / _DAY_S, 4), value] for at, value in points if isfinite(value)]


def _told(question: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in question.items() if key not in {"expr", "by", "worst"}}


def _hours(asked: _Asked, region: str | None) -> Iterator[dict[str, Any]]:
    paid, idle = (asked.hours(questions()["hours"][kind]) for kind in ("paid", "idle"))
    for instance_type in sorted(paid, key=lambda each: -paid[each]):
        price = None if region is None else instance_hour(instance_type, region)
        hours, idle_hours = paid[instance_type], min(idle.get(instance_type, 0.0), paid[instance_type])
        yield {
            "instance_type": cut_line(instance_type, _LONGEST),
            "hours": hours,
            "idle_hours": idle_hours,
            "usd_per_hour": None if price is None else price.usd,
            "usd": None if price is None else price.usd * hours,
            "idle_usd": None if price is None else price.usd * idle_hours,
        }


def _sums(values: Mapping[str, Any]) -> dict[str, float | None]:
    """Return what is calculated of the figures: money, and hours of nodes between failures."""
    hours, priced = values["hours"], [each for each in values["hours"] if each["usd"] is not None]
    failures = next(figure["value"] for figure in values["figures"] if figure["id"] == "node_failures")
    node_hours = sum(each["hours"] for each in hours)
    return {
        "node_hours": node_hours if hours else None,
        "usd": sum(each["usd"] for each in priced) if priced else None,
        "idle_usd": sum(each["idle_usd"] for each in priced) if priced else None,
        "node_mtbf_hours": node_hours / failures if failures and node_hours else None,
    }


def _notes(values: Mapping[str, Any], asked: _Asked) -> list[str]:
    unpriced = [each["instance_type"] or "an unknown type" for each in values["hours"] if each["usd"] is None]
    notes = ["Prices are list prices on demand: what was bought ahead, or is discounted, costs less."]
    if unpriced:
        why = "without --region" if values["region"] is None else f"in {values['region']}"
        notes.append(f"No price is known of {', '.join(unpriced[:_MOST_ROWS])} {why}.")
    if not values["hours"]:
        notes.append("No node of the cluster was measured in this time.")
    reasons = dict.fromkeys(error.problem for error in asked.failed)
    return [*notes, *(f"Not all could be asked: {cut_line(reason, 300)}." for reason in list(reasons)[:3])]


def _time(at_s: float) -> str:
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%SZ}"
