"""A life as samples: what a Prometheus scrapes of all nodes, once a minute, each target at a second of its own.

That is half as often as of real nodes. What vanishes is marked as ended, as Prometheus marks it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from tests.monitoring.life.cluster import Life, host_name
from tests.monitoring.life.slurm import slurm_expositions
from tests.monitoring.remote_write import STALE, encoded_samples, encoded_series
from trainyard.simulation.curve import Curve
from trainyard.simulation.exporters import answering, exporters_of, series_of
from trainyard.simulation.node import PHASES, SimulatedNode

STEP_S = 60
_PORTS = {"node-exporter": 9100, "dcgm-exporter": 9400, "trainyard-node": 9341}
_LABELS = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
Kept = Callable[[str], bool]
Times = tuple[int, ...]


class Target(NamedTuple):
    """An exporter of a node, as Prometheus scrapes it."""

    node: SimulatedNode
    exporter: str
    queue: str = ""

    def labels(self, cluster: str) -> dict[str, str]:
        """Return the labels that discovery gives it."""
        node = self.node
        address = node_name(node)[3:].replace("-", ".")
        return {
            "job": self.exporter, "instance": f"{address}:{_PORTS[self.exporter]}", "cluster": cluster,
            "instance_id": instance_id(node), "instance_type": node.instance_type,
            "node_name": node_name(node), "node_type": node.kind,
            **({"queue": self.queue} if self.queue else {}),
        }  # fmt: skip


def node_name(node: SimulatedNode) -> str:
    """Return the name of its host in EC2."""
    return host_name(node.phase) if node.kind == "Compute" else node.host


def instance_id(node: SimulatedNode) -> str:
    """Return what EC2 calls it."""
    return f"i-{node.phase:017x}"


def life_series(life: Life, begin_s: int, end_s: int, kept: Kept) -> Iterator[bytes]:
    """Yield the series of a part of a life, of the metrics that are kept, as they are written."""
    targets = [Target(node, exporter, queue) for queue, node in life.nodes for exporter in exporters_of(node)]
    others = (life.head(), life.login()) if life.has_slurm else ()
    for target in (*targets, *(Target(node, "node-exporter") for node in others)):
        yield from _of_target(life, target, _times(target.node.phase, begin_s, end_s), kept)
    if life.has_slurm:
        yield from _of_slurm(life, _times(0, begin_s, end_s), kept)
    yield from _of_prometheus(life, _times(0, begin_s, end_s))


def _times(phase: int, begin_s: int, end_s: int) -> Times:
    return tuple(range(begin_s + phase % PHASES * 3, end_s, STEP_S))


def _of_target(life: Life, target: Target, times: Times, kept: Kept) -> Iterator[bytes]:
    labels, answers = target.labels(life.content["name"]), answering(target.node, target.exporter)
    scraped = tuple(at_s for at_s in times if at_s < life.head_dies_s)
    yield from _series("up", labels, _points(answers, scraped))
    there = tuple(at_s for at_s, answer in zip(scraped, answers.at(scraped), strict=True) if answer)
    gone = next((at_s for at_s in times if there and at_s > there[-1]), None)
    for name, own, curve in series_of(target.node, target.exporter):
        if kept(name):
            yield from _series(name, {**labels, **_labels_of(own)}, _points(curve, there, gone))


@cache
def _labels_of(text: str) -> Mapping[str, str]:
    return {name: _ESCAPED.sub(r"\1", value) for name, value in _LABELS.findall(text)}


@cache
def _points(curve: Curve, times: Times, gone_s: int | None = None) -> bytes:
    """Return the samples of a series: they are the same of many nodes that are alike."""
    return _marked(list(zip(times, curve.at(times), strict=True)), gone_s)


def _marked(values: list[tuple[int, float | None]], gone_s: int | None = None) -> bytes:
    """Return samples, with a mark where they end before the times do."""
    there = [(at_s, value) for at_s, value in values if value is not None]
    ended = [(at_s, STALE) for (_, before), (at_s, value) in pairwise(values) if before is not None and value is None]
    if gone_s is not None and values and values[-1][1] is not None:
        ended.append((gone_s, STALE))
    return encoded_samples(sorted([*there, *ended], key=lambda sample: sample[0]))


def _series(name: str, labels: Mapping[str, str], samples: bytes) -> Iterator[bytes]:
    if samples:
        yield encoded_series({"__name__": name, **labels}, samples)


def _of_slurm(life: Life, times: Times, kept: Kept) -> Iterator[bytes]:
    labels = Target(life.head(), "trainyard-node").labels(life.content["name"])
    scraped = [at_s for at_s in times if at_s < life.head_dies_s]
    yield from _series("up", labels, encoded_samples((at_s, 1) for at_s in scraped))
    values: dict[str, dict[int, float]] = {}
    said = slurm_expositions(life)
    for (minute, text), until in zip(said, [*(minute for minute, _ in said[1:]), life.minutes + 1], strict=True):
        during = [at_s for at_s in scraped if life.at(minute) <= at_s < life.at(until)]
        for line in text.splitlines() if during else ():
            series, _, value = line.rpartition(" ")
            if not line.startswith("#") and kept(series.partition("{")[0]):
                values.setdefault(series, {}).update((at_s, float(value)) for at_s in during)
    for series, found in values.items():
        name, _, own = series.partition("{")
        yield from _series(name, {**labels, **_labels_of(own)}, _marked([(at_s, found.get(at_s)) for at_s in times]))


def _of_prometheus(life: Life, times: Iterable[int]) -> Iterator[bytes]:
    """Yield what the Prometheus that scrapes says of itself and of what it sends."""
    labels = {
        "job": "prometheus",
        "instance": "localhost:9090",
        "cluster": life.content["name"],
        **({"node_type": "HeadNode"} if life.has_slurm else {}),
    }
    sent = {**labels, "remote_name": "0", "url": "http://10.0.16.250:9090/api/v1/write"}
    scraped = [at_s for at_s in times if at_s < life.head_dies_s]
    yield from _series("up", labels, encoded_samples((at_s, 1) for at_s in scraped))
    rates = {"samples_total": 1100, "samples_failed_total": 0, "samples_retried_total": 0}
    for name, rate in rates.items():
        grown = encoded_samples((at_s, rate * (at_s - life.start_s)) for at_s in scraped)
        yield from _series(f"prometheus_remote_storage_{name}", sent, grown)
    pending = encoded_samples((at_s, 120) for at_s in scraped)
    yield from _series("prometheus_remote_storage_samples_pending", sent, pending)
