"""Asks a Prometheus what GPUs did in starts of which no line of progress tells: by what is recorded of their nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import yaml

from trainyard.counts import count_text
from trainyard.edge.prometheus_api import Series
from trainyard.errors import TrainyardError
from trainyard.foreign_text import cut_line, word_or_quoted
from trainyard.training.ledger.attempt import Attempt

State = Literal["computing", "waiting", "idle", "mixed", "unclear", "missing"]

LEAST_STEP_S = 120
"""How often what GPUs do is recorded: the group `gpu` of src/trainyard/monitoring/recording_rules.yaml."""

# A month in steps of nine minutes. An answer has to come within 30 s: of 1,000 nodes so many points took 5 s on a busy
# machine (benchmarks/README.md).
_MOST_POINTS, _POINTS_A_QUERY = 5000, 100
# Each costs a query or a few.
_MOST_STARTS = 200
# What Slurm and Kubernetes call hosts, and Batch jobs: nothing that would end the text in a query.
_HOST = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9.-]+)?\Z")
_JOB = re.compile(r"[A-Za-z0-9-]+\Z")


class GpuSpan(NamedTuple):
    """A time in which the GPUs of a start did the same."""

    begin_ms: int
    end_ms: int
    state: State
    """`waiting` as in a hang, `mixed` neither of these; `unclear` where nobody measures tensor cores, `missing` without
    metrics."""


class RangeSource(Protocol):
    """Who is asked: `edge/prometheus_api.py` is one."""

    url: str

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        """Return what an expression gives at every step. Raises TrainyardError where there is no answer."""


class GpuActivity:
    """The metrics of a cluster, as far as they tell of starts; None stands for the only cluster that there is."""

    def __init__(self, source: RangeSource, cluster: str | None) -> None:
        """Prepare to ask."""
        self._source, self._cluster = source, cluster
        self._problem = ""
        self._asked = self._left_out = self._unnamed = 0
        self._shared: set[str] = set()
        self._ambiguous: set[str] = set()

    def spans(self, attempt: Attempt) -> list[GpuSpan]:
        """Return what the GPUs of a start did, without gaps; nothing where no metrics tell of it."""
        nodes = _nodes(attempt)
        if nodes is None:
            self._unnamed += 1
        elif self._asked >= _MOST_STARTS:
            self._left_out += 1
        elif not self._problem:
            self._asked += 1
            try:
                return self._told(attempt, self._counts(attempt, nodes))
            except TrainyardError as error:
                self._problem = error.problem
        return []

    def notes(self) -> Iterator[str]:
        """Yield what could not be told, and why."""
        if self._problem:
            yield f"not all metrics could be asked: {cut_line(self._problem, 300)}"
        if self._ambiguous:
            names = ", ".join(map(word_or_quoted, sorted(self._ambiguous)[:5]))
            yield f"metrics of several clusters have such nodes ({names}): give RUN, whose spec names the cluster"
        if self._shared:
            jobs = ", ".join(map(word_or_quoted, sorted(self._shared)[:5]))
            yield f"nodes of job {jobs} have more GPUs than it had: what its own did is not told by their metrics"
        if self._left_out:
            starts = count_text(self._left_out, "start")
            yield f"metrics were asked about the first {_MOST_STARTS} starts without progress, not about {starts}"
        if self._unnamed:
            yield f"{count_text(self._unnamed, 'start')} of nodes whose names no query can hold: no metrics asked"

    def _told(self, attempt: Attempt, counts: Mapping[str, Mapping[str, Mapping[int, float]]]) -> list[GpuSpan]:
        if len(counts) > 1:
            self._ambiguous.update(counts)
            return []
        of_cluster = next(iter(counts.values()), {})
        if attempt.gpu_count and max(of_cluster.get("gpus", {}).values(), default=0) > attempt.gpu_count:
            self._shared.add(attempt.job)
            return []
        spans = list(_joined(_moments(of_cluster, attempt)))
        return spans if any(span.state != "missing" for span in spans) else []

    def _counts(self, attempt: Attempt, nodes: str) -> dict[str, dict[str, dict[int, float]]]:
        """Return for each cluster how many nodes are in each state, by the number of the step."""
        step_s, begin_s = step_s_of(attempt), attempt.begin_ms / 1000
        matcher = 'cluster=~".*"' if self._cluster is None else f'cluster="{self._cluster}"'
        expr, last = _expr(nodes).replace("$cluster", matcher), _last_step(attempt)
        until_s = begin_s + (last + 1) * step_s
        counts: dict[str, dict[str, dict[int, float]]] = {}
        for first in range(1, last + 1, _POINTS_A_QUERY):
            until = min(first + _POINTS_A_QUERY - 1, last)
            found = self._source.query_range(expr, begin_s + first * step_s, begin_s + until * step_s, step_s)
            for series in found:
                of_cluster = counts.setdefault(series.labels.get("cluster", ""), {})
                of_state = of_cluster.setdefault(series.labels.get("state", ""), {})
                in_time = (point for point in series.points if begin_s <= point[0] <= until_s)
                of_state.update((round((at_s - begin_s) / step_s), value) for at_s, value in in_time)
        return counts


def step_s_of(attempt: Attempt) -> int:
    """Return how far apart the moments are that a start is told by, in seconds."""
    return max(LEAST_STEP_S, -(-(attempt.end_ms - attempt.begin_ms) // (1000 * _MOST_POINTS)))


def _last_step(attempt: Attempt) -> int:
    return (attempt.end_ms - attempt.begin_ms) // (1000 * step_s_of(attempt))


def _nodes(attempt: Attempt) -> str | None:
    """Return what selects the nodes of a start, None where their names are none of hosts and its job none of Batch."""
    hosts = [host.partition(".")[0] for host in attempt.gpus if _HOST.match(host)]
    by_host, by_job = str(states()["nodes"]["by_host"]), str(states()["nodes"]["by_job"])
    if len(hosts) == len(attempt.gpus):
        return by_host.replace("$hosts", "|".join(hosts))
    is_of_batch = all(name.startswith("node ") for name in attempt.gpus) and _JOB.match(attempt.job)
    return by_job.replace("$job", attempt.job) if is_of_batch else None


@cache
def states() -> Mapping[str, Any]:
    """Return what is asked, as gpu_states.yaml has it."""
    content: dict[str, Any] = yaml.load(
        Path(__file__).with_name("gpu_states.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return content


def _expr(nodes: str) -> str:
    """Return one query for all counts, told apart by the label state; to label what is not counted yet takes longer."""
    own = f"and on (cluster, instance_id) {nodes}"
    counted = {state: f"count by (cluster) (({expr}) {own})" for state, expr in states()["states"].items()}
    counted["gpus"] = f"sum by (cluster) ({states()['gpus']} {own})"
    return " or ".join(f'label_replace({expr}, "state", "{state}", "", "")' for state, expr in counted.items())


def _moments(counts: Mapping[str, Mapping[int, float]], attempt: Attempt) -> Iterator[GpuSpan]:
    """Yield a span for each step, up to its moment, as that tells of what was before. The last has the rest."""
    step_ms, last, at_ms = 1000 * step_s_of(attempt), _last_step(attempt), attempt.begin_ms
    for step in range(1, last + 1):
        end_ms = attempt.end_ms if step == last else attempt.begin_ms + step * step_ms
        here = {state: by_step.get(step, 0) for state, by_step in counts.items()}
        yield GpuSpan(at_ms, end_ms, _state(here, len(attempt.gpus)))
        at_ms = end_ms


def _state(here: Mapping[str, float], nodes: int) -> State:
    """Return what nodes did together: one that waits as in a hang lets all wait, as for the alert job-hangs."""
    present, told_apart = here.get("present", 0), here.get("told_apart", 0)
    if 2 * present <= nodes:
        return "missing"
    if 2 * told_apart <= nodes:
        return "unclear"
    if here.get("waiting", 0):
        return "waiting"
    if 2 * here.get("computing", 0) > told_apart:
        return "computing"
    return "idle" if here.get("idle", 0) == present else "mixed"


def _joined(spans: Iterator[GpuSpan]) -> Iterator[GpuSpan]:
    """Yield spans, those of one state that follow each other as one."""
    former: GpuSpan | None = None
    for span in spans:
        if former is not None and former.state == span.state:
            former = former._replace(end_ms=span.end_ms)
            continue
        if former is not None:
            yield former
        former = span
    if former is not None:
        yield former
