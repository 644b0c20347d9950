"""What the GPUs of a start did becomes kinds of time, which add up whatever is told of them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, get_args

import pytest

from tests.each_case import each_case
from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.edge.prometheus_api import Series
from trainyard.errors import TrainyardError
from trainyard.training.ledger.attempt import Attempt
from trainyard.training.ledger.gpu_activity import GpuActivity, GpuSpan, State
from trainyard.training.ledger.ledger import Checkpoint, Ledger, ledger_of

BEGIN_MS, MINUTE_MS = 1_780_000_000_000, 60_000
Told = Sequence[tuple[State, int]]


def attempt(length_m: int, **changed: Any) -> Attempt:
    end_ms = BEGIN_MS + length_m * MINUTE_MS
    return Attempt("r", "7", 0, None, BEGIN_MS, end_ms, is_running=False, state="COMPLETED",
                   gpus={"n1": 8, "n2": 8})._replace(**changed)  # fmt: skip


def ledger(told: Told, saved_m: Sequence[int] = (), **changed: Any) -> Ledger:
    """Return the ledger of a start whose GPUs were in each state for so many minutes."""
    spans, at_m = [], 0
    for state, length_m in told:
        begin_ms, at_m = BEGIN_MS + at_m * MINUTE_MS, at_m + length_m
        spans.append(GpuSpan(begin_ms, BEGIN_MS + at_m * MINUTE_MS, state))
    saved = [Checkpoint(minute, BEGIN_MS + minute * MINUTE_MS, is_whole=True) for minute in saved_m]
    return ledger_of([attempt(at_m, **changed)], checkpoints=saved, gpu_spans=lambda _: spans)


def minutes(ledger: Ledger) -> dict[str, float]:
    return {kind: spent / MINUTE_MS / 16 for kind, spent in ledger.gpu_ms().items() if spent}


FLAPS: Told = [("waiting", 14), ("mixed", 6)] * 3
CASES: dict[str, tuple[Told, Sequence[int], str, dict[str, float]]] = {
    "a good day": (
        [("idle", 8), ("mixed", 2), ("computing", 600), ("idle", 20)], (), "COMPLETED",
        {"start-up": 10, "productive": 600, "idle": 20},
    ),
    "a start that never computed": ([("idle", 8), ("waiting", 4), ("mixed", 2)], (), "FAILED", {"start-up": 14}),
    "a hang before anything was computed": ([("idle", 8), ("waiting", 40)], (), "FAILED", {"start-up": 8, "hang": 40}),
    "a hang in the middle": (
        [("computing", 60), ("waiting", 40), ("computing", 60)], (), "COMPLETED", {"productive": 120, "hang": 40},
    ),
    "a hang that some nodes leave now and then": (
        [("computing", 60), *FLAPS, ("computing", 9)], (), "COMPLETED",
        {"productive": 69, "hang": 42, "unknown": 18},
    ),
    "nodes without any work": ([("idle", 600)], (), "CANCELLED", {"idle": 600}),
    "a long way to the first step": (
        [("idle", 30), ("computing", 60)], (), "COMPLETED", {"start-up": 30, "productive": 60},
    ),
    "GPUs that wait too shortly to say for what": (
        [("computing", 60), ("waiting", 8), ("computing", 60)], (), "COMPLETED", {"productive": 120, "unknown": 8},
    ),
    "a checkpoint": (
        [("computing", 60), ("waiting", 8), ("computing", 60)], [67], "COMPLETED", {"productive": 120, "save": 8},
    ),
    "a checkpoint and a hang behind it": (
        [("computing", 60), ("waiting", 40), ("computing", 9)], [66], "COMPLETED",
        {"productive": 69, "save": 6, "hang": 34},
    ),
    "a checkpoint behind what looked like a hang": (
        [("computing", 60), ("waiting", 40), ("computing", 9)], [100], "COMPLETED", {"productive": 69, "unknown": 40},
    ),
    "computing behind the last checkpoint of a start that failed": (
        [("computing", 60), ("idle", 4), ("computing", 50)], [63], "NODE_FAIL",
        {"productive": 60, "save": 4, "lost": 50},
    ),
    "metrics that begin late, and end early": (
        [("missing", 4), ("idle", 6), ("computing", 60), ("missing", 30)], (), "COMPLETED",
        {"unknown": 34, "start-up": 6, "productive": 60},
    ),
    "metrics that are missing between two checkpoints": (
        [("computing", 60), ("missing", 60), ("computing", 9)], [50, 110], "COMPLETED", {"productive": 129},
    ),
    "idle GPUs behind some that nobody measures": (
        [("idle", 5), ("unclear", 60), ("idle", 20)], (), "COMPLETED", {"start-up": 5, "unknown": 60, "idle": 20},
    ),
}  # fmt: skip


@each_case("told, saved_m, state, expected", CASES.values(), ids=CASES)
def test_what_gpus_did_becomes_kinds_of_time(
    told: Told, saved_m: Sequence[int], state: str, expected: dict[str, float]
) -> None:
    assert minutes(ledger(told, saved_m, state=state)) == expected


def test_what_contradicts_itself_is_said() -> None:
    notes = ledger([("computing", 60), ("waiting", 40)], [100]).notes
    assert any(note.startswith("10.7 GPU-hours in which GPUs stood still, and yet a checkpoint") for note in notes)


@pytest.mark.parametrize("seed", range(40))
def test_parts_add_up_whatever_gpus_did(seed: int) -> None:
    chance = Random(seed)
    told = [(chance.choice(get_args(State)), chance.randrange(1, 40)) for _ in range(chance.randrange(1, 30))]
    saved = [chance.randrange(-9, 500) for _ in range(chance.randrange(5))]
    state = chance.choice(("COMPLETED", "FAILED", "NODE_FAIL"))
    found = ledger(told, saved, state=state)
    assert sum(found.gpu_ms().values()) == sum(length_m for _, length_m in told) * MINUTE_MS * 16
    assert min(found.gpu_ms().values()) >= 0


def test_a_month_is_asked_in_50_queries_of_100_points() -> None:
    source = FakeSource()
    start = attempt(30 * 1440)
    assert GpuActivity(source, "llm-p5").spans(start) == []
    points = [1 + round((end_s - begin_s) / step_s) for _, begin_s, end_s, step_s in source.ranges]
    assert (len(points), max(points), sum(points)) == (50, 100, 30 * 86400 // 519)
    assert source.ranges[0][0].count('cluster="llm-p5"') > 5
    assert 'node:name:max{cluster="llm-p5", node=~"n1|n2"})' in source.ranges[0][0]


def test_nodes_are_found_by_their_hosts_or_on_batch_by_their_job() -> None:
    source = FakeSource()
    names = {"ip-10-0-0-1.us-east-2.compute.internal": 8}, {"node 0": 8}, {'a"} or vector(1)': 8}
    starts = [attempt(60, gpus=gpus, job="5f0c-7") for gpus in names]
    activity = GpuActivity(source, None)
    assert [activity.spans(start) for start in starts] == [[], [], []]
    first, second = (asked[0] for asked in source.ranges)
    assert 'node=~"ip-10-0-0-1"})' in first
    assert 'node:job:max{cluster=~".*", jobid="5f0c-7"})' in second
    assert list(activity.notes()) == ["1 start of nodes whose names no query can hold: no metrics asked"]


def test_what_is_asked_no_more_is_told() -> None:
    starts = [attempt(60, job=str(job)) for job in range(202)]
    activity = GpuActivity(FakeSource(), None)
    assert not any(activity.spans(start) for start in starts)
    assert list(activity.notes()) == [
        "metrics were asked about the first 200 starts without progress, not about 2 starts"
    ]
    failing = GpuActivity(FakeSource(fails=TrainyardError("too many samples")), None)
    assert not any(failing.spans(start) for start in starts)
    assert list(failing.notes()) == ["not all metrics could be asked: too many samples"]


class Endless(FakeSource):
    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        del expr, end_s, step_s
        points = [(float("inf"), 2.0), (float("nan"), 2.0), (-1e300, 2.0), (start_s, 2.0)]
        return [Series({"cluster": "a", "state": "present"}, points)]


def test_times_that_no_prometheus_gives_do_no_harm() -> None:
    states = [span.state for span in GpuActivity(Endless(), None).spans(attempt(60))]
    assert states == ["unclear", "missing"]


class TwoClusters(FakeSource):
    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        del expr, end_s, step_s
        return [Series({"cluster": name, "state": "present"}, [(start_s, 2.0)]) for name in ("a", "b")]


def test_nodes_of_several_clusters_are_not_mixed() -> None:
    activity = GpuActivity(TwoClusters(), None)
    assert activity.spans(attempt(60)) == []
    assert list(activity.notes()) == [
        "metrics of several clusters have such nodes (a, b): give RUN, whose spec names the cluster"
    ]
