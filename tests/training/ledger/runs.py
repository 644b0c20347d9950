"""Runs of which every second is known: what their ranks write, and what their time was."""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

from trainyard.training.ledger.attempt import KINDS, Attempt

BEGIN_S = 1_780_000_000.0


class KnownRun(NamedTuple):
    """A run with its truth, in milliseconds of all its GPUs."""

    attempts: list[Attempt]
    lines: list[str]
    truth: dict[str, int]


class Writer:
    """Writes a run second by second, and keeps what each was."""

    def __init__(self, gpus: int = 16, step_s: float = 4.0, skew_s: float = 0.0) -> None:
        self.now_s, self.step_s, self.skew_s, self.gpus = BEGIN_S, step_s, skew_s, gpus
        self.lines: list[str] = []
        self.attempts: list[Attempt] = []
        self.truth = dict.fromkeys(KINDS, 0)
        self.since_checkpoint: list[float] = []
        self.step = self.saved = 0

    def spend(self, kind: str, seconds: float) -> None:
        self.now_s += seconds
        self.truth[kind] += round(seconds * 1000) * self.gpus

    def tell(self, **words: Any) -> None:
        self.lines.append(json.dumps({"time": round(self.now_s + self.skew_s, 3), "rank": 0, "node": "n1", **words}))

    def begin(self, queue_s: float = 60.0) -> None:
        submitted, self.now_s = self.now_s, self.now_s + queue_s
        self.began_s, self.submitted_s, self.step = self.now_s, submitted, self.saved
        self.spend("start-up", 45)
        self.tell(event="start", job=7, attempt=len(self.attempts), world_size=self.gpus)
        self.spend("start-up", 20)
        if self.saved:
            self.tell(event="load_begin")
            self.spend("load", 30)
            self.tell(event="load_end", step=self.saved)

    def do_steps(self, count: int, slow_s: float = 0.0) -> None:
        for _ in range(count):
            self.spend("productive", self.step_s)
            if slow_s:
                self.spend("slow", slow_s)
            self.since_checkpoint.append(self.step_s)
            self.tell(step=self.step, step_seconds=self.step_s + slow_s, tokens=10, flops=100.0)
            self.step += 1

    def save(self) -> None:
        self.tell(event="save_begin", step=self.step)
        self.spend("save", 25)
        self.tell(event="save_end", step=self.step)
        self.saved, self.since_checkpoint = self.step, []

    def end(self, state: str = "NODE_FAIL", hang_s: float = 0.0, reason: str | None = None) -> None:
        if reason:
            self.tell(event="end", reason=reason)
        else:
            lost = round(1000 * sum(self.since_checkpoint)) * self.gpus
            self.truth["productive"] -= lost
            self.truth["lost"] += lost
            self.since_checkpoint = []
            self.spend("lost", self.step_s)
            self.spend("hang", hang_s)
        begin_ms, end_ms, submitted_ms = (round(1000 * at) for at in (self.began_s, self.now_s, self.submitted_s))
        gpus = {"n1": self.gpus // 2, "n2": self.gpus - self.gpus // 2}
        self.attempts.append(
            Attempt(
                "r", "7", len(self.attempts), submitted_ms, begin_ms, end_ms, is_running=False, state=state, gpus=gpus
            )
        )

    def known(self) -> KnownRun:
        return KnownRun(self.attempts, self.lines, self.truth)


def storm(seed: int, starts: int = 12, skew_s: float = 0.0) -> KnownRun:
    """Return a run with failures at any time: within steps, behind hangs, before a first checkpoint."""
    chance = Random(seed)
    writer = Writer(step_s=chance.choice((0.5, 2.0, 4.0, 11.0)), skew_s=skew_s)
    for _ in range(starts):
        writer.begin(queue_s=chance.uniform(0, 500))
        for _ in range(chance.randrange(4)):
            writer.do_steps(chance.randrange(40, 200))
            if chance.random() < 0.3:
                writer.do_steps(chance.randrange(1, 9), slow_s=2 * writer.step_s)
            writer.save()
        writer.do_steps(chance.randrange(1, 60))
        writer.end(hang_s=chance.choice((0.0, 90.0, 1300.0)))
    writer.begin()
    writer.do_steps(120)
    writer.save()
    writer.end("COMPLETED", reason="done")
    return writer.known()
