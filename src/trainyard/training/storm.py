"""A simulated run that interruptions strike at a rate: what it would have told of itself, and the truth beside that.

It is no measurement: times are drawn, and the ledger is asked what it makes of what is told. Everything follows from
the seed.
"""

from __future__ import annotations

import random
from typing import NamedTuple

from trainyard.training.ledger.attempt import LOAD, SAVE, STEP, Attempt, Session

DAY_MS = 86_400_000
# Which interruptions there are and how they end. Nobody publishes shares that fit every fleet: these are assumed.
FAULTS = {"crash": 0.5, "node": 0.4, "hang": 0.1}


class Storm(NamedTuple):
    """What is simulated. Times are milliseconds."""

    nodes: int
    gpus_per_node: int
    per_1000_node_days: float
    days: float = 30.0
    seed: int = 1
    step_ms: int = 4000
    interval_ms: int = 1_200_000
    write_ms: int = 60_000
    load_ms: int = 60_000
    start_up_ms: int = 180_000
    node_timeout_ms: int = 180_000
    """How long a node has not answered until the scheduler ends its job."""
    hang_ms: int = 1_200_000
    queue_ms: int = 120_000
    """How long a job waits that was put into the queue again."""


class StormResult(NamedTuple):
    """What would have been told, and the truth: milliseconds of GPUs by kind."""

    attempts: tuple[Attempt, ...]
    sessions: tuple[Session, ...]
    truth_gpu_ms: dict[str, int]
    faults: dict[str, int]
    """How many there were of each."""


class _Simulation:
    """The run, start by start."""

    def __init__(self, storm: Storm) -> None:
        self.storm, self.chance = storm, random.Random(storm.seed)  # noqa: S311  no secret hangs on it
        self.attempts: list[Attempt] = []
        self.sessions: list[Session] = []
        self.truth = dict.fromkeys(("productive", "lost", "save", "load", "start-up", "hang", "unknown"), 0)
        self.faults = dict.fromkeys(FAULTS, 0)
        self.kept_step = 0
        """The first step that no checkpoint holds."""

    def run(self) -> StormResult:
        storm, now, end_ms = self.storm, 0, round(self.storm.days * DAY_MS)
        while now + storm.start_up_ms < end_ms:
            now = self._start(now, end_ms) + storm.queue_ms
        gpus = storm.nodes * storm.gpus_per_node
        truth = {kind: taken * gpus for kind, taken in self.truth.items()}
        return StormResult(tuple(self.attempts), tuple(self.sessions), truth, self.faults)

    def _start(self, begin_ms: int, end_ms: int) -> int:
        """Simulate one start of the run and return when it has ended."""
        storm = self.storm
        strikes_ms = begin_ms + round(self.chance.expovariate(self._rate_per_ms()))
        fault = self.chance.choices(list(FAULTS), list(FAULTS.values()))[0] if strikes_ms < end_ms else None
        stop_ms, now, before = min(strikes_ms, end_ms), begin_ms, dict(self.truth)
        session = Session(begin_ms + storm.start_up_ms, "node-1", 0)
        session.job, session.attempt, session.world_size = "1", len(self.attempts), storm.nodes * storm.gpus_per_node
        now = self._spend("start-up", now, storm.start_up_ms, stop_ms)
        if now < stop_ms:
            now = self._train(session, now, stop_ms)
        if fault is None:
            session.reason, session.end_ms = "done", stop_ms
        else:
            self.faults[fault] += 1
            waits_ms = {"crash": 0, "node": storm.node_timeout_ms, "hang": storm.hang_ms}[fault]
            self.truth["hang"] += waits_ms
            now = stop_ms + waits_ms
            if fault == "crash":
                session.reason = "error"
                session.end_ms = max(stop_ms, session.begin_ms)
        if session.begin_ms <= stop_ms:
            self.sessions.append(session)
        else:  # its processes have never told of themselves
            self.truth = {**before, "unknown": before["unknown"] + now - begin_ms}
        state = "COMPLETED" if fault is None else "NODE_FAIL" if fault == "node" else "REQUEUED"
        gpus = {f"node-{number + 1}": storm.gpus_per_node for number in range(storm.nodes)}
        submitted = None if not self.attempts else begin_ms - storm.queue_ms
        start = Attempt(
            "storm", "1", len(self.attempts), submitted, begin_ms, now, is_running=False, state=state, gpus=gpus
        )
        self.attempts.append(start)
        return now

    def _train(self, session: Session, now: int, stop_ms: int) -> int:
        """Train until something stops it, and count what no checkpoint holds then as lost."""
        storm, step, since_ms = self.storm, self.kept_step, 0
        if step:
            begun_ms, now = now, self._spend("load", now, storm.load_ms, stop_ms)
            session.add(LOAD, step if now - begun_ms == storm.load_ms else -1, begun_ms, now)
        trained_ms = 0
        while now < stop_ms:
            if since_ms >= storm.interval_ms:
                begun_ms, now = now, self._spend("save", now, storm.write_ms, stop_ms)
                is_whole = now - begun_ms == storm.write_ms
                session.add(SAVE, step if is_whole else -1, begun_ms, now)
                if is_whole:
                    self.kept_step, since_ms = step, 0
                    self.truth["productive"] += trained_ms
                    trained_ms = 0
                continue
            taken_ms = min(storm.step_ms, stop_ms - now)
            if taken_ms == storm.step_ms:
                session.add(STEP, step, now, now + taken_ms)
                session.end_ms = now + taken_ms
                step += 1
            now += taken_ms
            since_ms += taken_ms
            trained_ms += taken_ms
        is_end = stop_ms >= round(storm.days * DAY_MS)
        self.truth["productive" if is_end else "lost"] += trained_ms
        return now

    def _spend(self, kind: str, now: int, taken_ms: int, stop_ms: int) -> int:
        until_ms = min(now + taken_ms, stop_ms)
        self.truth[kind] += max(until_ms - now, 0)
        return max(until_ms, now)

    def _rate_per_ms(self) -> float:
        return self.storm.per_1000_node_days / 1000 * self.storm.nodes / DAY_MS


def simulated(storm: Storm) -> StormResult:
    """Return what a storm would have done to a run."""
    return _Simulation(storm).run()
