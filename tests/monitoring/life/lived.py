"""A life in a real Prometheus, with what its rules record and the alerts that have fired in it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.monitoring import remote_write
from tests.monitoring.life.cluster import Expected, Fault, Life
from tests.monitoring.life.samples import STEP_S, life_series, node_name
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.promql import asked_metrics
from tests.monitoring.remote_write import STALE, encoded_samples, encoded_series, write
from trainyard.edge.http_client import HttpClient
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.monitoring.alert import Alert, alerts
from trainyard.monitoring.prometheus_config import EVALUATION_INTERVAL_S
from trainyard.monitoring.prometheus_rules import UNHURRIED_INTERVAL, recording_groups

OPTIONS = (*remote_write.OPTIONS, "--query.max-samples=200000000", "--query.timeout=10m")
# As on the instance that keeps a cluster's samples: alerts are known only when all has been written.
CONFIG = {"storage": {"tsdb": {"out_of_order_time_window": "30h"}}}
# A sample may be an hour older than the newest one of all: half of what a block holds.
_PART_S = 3000
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class Firing(NamedTuple):
    """An alert that fired, from one moment to another."""

    alert: str
    labels: tuple[tuple[str, str], ...]
    from_s: float
    to_s: float
    held_from_s: float
    """Since when its condition had held when it fired."""

    def tells(self, names: Iterable[str]) -> bool:
        """Whether it tells all of these names."""
        told = set(dict(self.labels).values())
        told |= {f"gpu {value}" for label, value in self.labels if label == "gpu"}
        return told.issuperset(names)


@dataclass(frozen=True)
class Lived:
    """What has been lived."""

    life: Life
    prometheus: Prometheus
    firings: tuple[Firing, ...]

    @property
    def api(self) -> PrometheusApi:
        return patient_api(self.prometheus)

    @property
    def hosts(self) -> dict[str, str]:
        """Return what EC2 calls each node, by Slurm's names."""
        return {node.host: node_name(node) for _, node in self.life.nodes}

    def answer_to(self, expected: Expected, fault: Fault) -> Firing | None:
        """Return the firing that tells what was expected of a fault, whenever it came."""
        begins, ends = self.life.at(fault.from_m), self.life.at(fault.to_m)
        of_alert = (one for one in self.firings if one.alert == expected.alert and begins <= one.from_s <= ends)
        return next((one for one in of_alert if one.tells(expected.names)), None)

    def late(self, fault: Fault) -> dict[Expected, float | None]:
        """Return what is not told in time of a fault, and after how many minutes it is, None where it never is."""
        late = {}
        for expected in fault.alerts:
            firing = self.answer_to(expected, fault)
            after_m = None if firing is None else (firing.from_s - self.life.at(fault.from_m)) / 60
            if after_m is None or after_m > expected.within_m:
                late[expected] = after_m
        return late

    def unexpected(self) -> list[Firing]:
        """Return the firings that no fault explains."""
        explained = {
            one
            for fault in self.life.faults for expected in fault.alerts for one in self.firings
            if one.alert == expected.alert and one.tells(expected.names)
            and self.life.at(fault.from_m) <= one.from_s <= self.life.at(fault.to_m)
        }  # fmt: skip
        return [one for one in self.firings if one not in explained]


def patient_api(prometheus: Prometheus) -> PrometheusApi:
    """Return what asks a server that may be busy for long."""
    return PrometheusApi(Connection(prometheus.url, http=HttpClient(timeout_s=600, most_bytes=1 << 30)))


@contextmanager
def lived(folder: Path, life: Life, named: str | Path = "prometheus") -> Iterator[Lived]:
    """Write a life that ends now, and serve it by a program of that name."""
    now_s = int(time.time()) // STEP_S * STEP_S
    life = replace(life, start_s=now_s - 60 * life.minutes)
    with real_prometheus(folder, CONFIG, *OPTIONS, named=named) as prometheus:
        api = patient_api(prometheus)
        wanted = asked_metrics()
        for begin_s in range(life.start_s, life.end_s, _PART_S):
            end_s = min(begin_s + _PART_S, life.end_s)
            write(prometheus.url, life_series(life, begin_s, end_s, wanted.__contains__))
            record(api, begin_s, end_s)
        firings = fired(api, life)
        write(prometheus.url, _alert_series(firings))
        yield Lived(life, prometheus, firings)


def record(api: PrometheusApi, begin_s: int, end_s: int) -> None:
    """Record what the rules record, as often as each group is evaluated: once a minute where it does not say."""
    for group in recording_groups():
        step_s = _seconds(group.get("interval", f"{EVALUATION_INTERVAL_S}s"))
        # A whole number of evaluations since 1970, so that parts of a life go on in step.
        first_s = -(-begin_s // step_s) * step_s
        for rule in group["rules"]:
            # What a rule has recorded before, some ask for themselves.
            width_s = step_s if rule["record"] in rule["expr"] else _PART_S
            for at_s in range(first_s, end_s, width_s):
                _record(api, rule, at_s, min(at_s + width_s, end_s), step_s)


def _record(api: PrometheusApi, rule: Mapping[str, str], begin_s: int, end_s: int, step_s: int) -> None:
    found = api.query_range(rule["expr"], begin_s, end_s - 1, step_s)
    named = ({**series.labels, "__name__": rule["record"]} for series in found)
    ended = (_with_ends(series.points, end_s, step_s) for series in found)
    write(api.url, map(encoded_series, named, map(encoded_samples, ended)))


def _with_ends(points: list[tuple[float, float]], end_s: float, step_s: int) -> Iterator[tuple[float, float]]:
    """Yield samples, with a mark where a rule gives nothing any more."""
    for (at_s, value), (next_s, _) in pairwise([*points, (end_s, 0.0)]):
        yield at_s, value
        if next_s - at_s > step_s:
            yield at_s + step_s, STALE


def _seconds(duration: str) -> int:
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def fired(api: PrometheusApi, life: Life) -> tuple[Firing, ...]:
    """Return what each alert does, asked as often as its rule is evaluated."""
    return tuple(one for alert in life.alerts for one in _fired(api, life, alert))


def _fired(api: PrometheusApi, life: Life, alert: Alert) -> Iterator[Firing]:
    """Yield the firings of an alert: it fires once it has held for as long as it has to, at each of its evaluations.

    https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/#defining-alerting-rules
    """
    held_s, step_s = _seconds(alert.for_), EVALUATION_INTERVAL_S if alert.is_urgent else _seconds(UNHURRIED_INTERVAL)
    for series in api.query_range(alert.rule, life.start_s, life.end_s, step_s):
        labels = tuple(sorted((name, value) for name, value in series.labels.items() if name != "__name__"))
        for begin_s, end_s in _spells([at_s for at_s, _ in series.points], step_s):
            if end_s - begin_s >= held_s:
                yield Firing(alert.id, labels, begin_s + held_s, end_s, begin_s)


def _spells(times: list[float], step_s: int) -> Iterator[tuple[float, float]]:
    begin = 0
    for index, at_s in enumerate(times):
        if index + 1 == len(times) or times[index + 1] - at_s > step_s:
            yield times[begin], at_s
            begin = index + 1


def _alert_series(firings: Iterable[Firing]) -> Iterator[bytes]:
    """Yield what Prometheus says of alerts that fire, and since when their condition has held."""
    severities = {alert.id: alert.severity for alert in alerts()}
    for one in firings:
        told = {**dict(one.labels), "alertname": one.alert, "severity": severities[one.alert]}
        firing = {**told, "__name__": "ALERTS", "alertstate": "firing"}
        times = range(int(one.from_s), int(one.to_s) + 1, STEP_S)
        for labels, value in ((firing, 1.0), ({**told, "__name__": "ALERTS_FOR_STATE"}, one.held_from_s)):
            samples = [*((at_s, value) for at_s in times), (one.to_s + STEP_S, STALE)]
            yield encoded_series(labels, encoded_samples(samples))
