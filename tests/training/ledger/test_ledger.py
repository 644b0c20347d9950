"""A ledger equals what really happened, and adds up whatever it is given."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.training.ledger.runs import BEGIN_S, Writer, storm
from trainyard.training.ledger.attempt import KINDS, Attempt, NodeSpan
from trainyard.training.ledger.ledger import Checkpoint, Ledger, ledger_of
from trainyard.training.ledger.progress_lines import sessions_of

BEGIN_MS = round(1000 * BEGIN_S)
HOUR_MS = 3_600_000


def allocated(ledger: Ledger) -> int:
    return sum((item.attempt.end_ms - item.attempt.begin_ms) * item.attempt.gpu_count for item in ledger.attempts)


def attempt(begin_h: float = 0, end_h: float = 1, **changed: Any) -> Attempt:
    begin_ms, end_ms = (BEGIN_MS + round(hours * HOUR_MS) for hours in (begin_h, end_h))
    return Attempt("r", "7", 0, None, begin_ms, end_ms, is_running=False, state="COMPLETED", gpus={"n1": 8})._replace(
        **changed
    )


@pytest.mark.parametrize("seed", range(8))
def test_a_storm_is_accounted_for_within_one_per_cent(seed: int) -> None:
    run = storm(seed)
    ledger = ledger_of(run.attempts, sessions_of(run.lines))
    total = allocated(ledger)
    assert sum(ledger.gpu_ms().values()) == total == sum(run.truth.values())
    assert all(abs(ledger.gpu_ms()[kind] - run.truth[kind]) <= total / 100 for kind in KINDS), (
        ledger.gpu_ms(),
        run.truth,
    )


@pytest.mark.parametrize("seed", range(60))
def test_parts_add_up_to_the_time_allocated_whatever_is_told(seed: int) -> None:
    chance = Random(seed)
    run = storm(seed, starts=3)
    lines = [*run.lines, "", "[]", "1", '{"time": 1e400}', '{"time": -1}', '{"time": null, "step": 3}', "{" * 2000]
    lines += [json.dumps({"time": BEGIN_S + chance.uniform(-9e4, 9e4), "step": chance.choice((5, -1, 2**70, "x", None)),
                          "step_seconds": chance.choice((1, -1, 1e9, "x", None)),
                          "event": chance.choice((None, "save_end", "load_begin", "start", "end", 3, []))})
              for _ in range(50)]  # fmt: skip
    chance.shuffle(lines)
    spans = [NodeSpan("n1", 8, BEGIN_MS - 1000, BEGIN_MS + 9 * HOUR_MS, *(chance.choice((None, BEGIN_MS + 77_000, 5))
             for _ in range(2))), NodeSpan("spare", 8, BEGIN_MS, BEGIN_MS + HOUR_MS, BEGIN_MS + 60_000)]  # fmt: skip
    ledger = ledger_of(run.attempts, sessions_of(lines), [Checkpoint(3, BEGIN_MS + 5000, is_whole=True)], spans)
    free = sum((span.ended_ms - span.launched_ms) * span.gpus for span in spans)
    ours = [(start.begin_ms, min(start.end_ms, spans[0].ended_ms)) for start in run.attempts]
    free -= sum(max(end - begin, 0) for begin, end in ours) * 8
    assert sum(ledger.gpu_ms().values()) == allocated(ledger) + free
    assert min(ledger.gpu_ms().values()) >= 0


def test_a_start_that_tells_nothing_is_unknown_and_said_so() -> None:
    ledger = ledger_of([attempt()])
    assert {kind: spent for kind, spent in ledger.gpu_ms().items() if spent} == {"unknown": 8 * HOUR_MS}
    assert ledger.notes == ("job 7, start 0: no line of progress and no checkpoint: its time is unknown",)


def test_checkpoints_alone_tell_what_a_start_was_worth_but_half_written_ones_nothing() -> None:
    quarters = ((10, 1, True), (20, 2, True), (30, 3, False))
    entries = [Checkpoint(step, BEGIN_MS + quarter * HOUR_MS // 4, whole) for step, quarter, whole in quarters]
    ledger = ledger_of([attempt(state="NODE_FAIL")], checkpoints=entries)
    assert {kind: spent / HOUR_MS / 8 for kind, spent in ledger.gpu_ms().items() if spent} == {
        "unknown": 0.25, "productive": 0.25, "lost": 0.5,
    }  # fmt: skip
    assert ledger.notes[0] == "1 half-written checkpoint not counted"


def test_clocks_that_are_hours_wrong_are_moved_into_their_start() -> None:
    run, skewed = storm(3), storm(3, skew_s=-7200.0)
    right, moved = (ledger_of(known.attempts, sessions_of(known.lines)) for known in (run, skewed))
    assert abs(moved.gpu_ms()["productive"] - right.gpu_ms()["productive"]) < allocated(right) / 100
    assert any(note.startswith("the clock of n1 is ") and " behind" in note for note in moved.notes)


def test_without_accounting_the_processes_tell_what_they_know() -> None:
    run = storm(1)
    ledger = ledger_of([], sessions_of(run.lines))
    assert abs(ledger.gpu_ms()["productive"] - run.truth["productive"]) < sum(run.truth.values()) / 50
    assert ledger.notes[0].startswith("no accounting:")


def test_steps_behind_the_last_checkpoint_of_a_run_that_failed_are_lost() -> None:
    writer = Writer()
    writer.begin()
    writer.do_steps(100)
    writer.save()
    writer.do_steps(50)
    writer.end("FAILED")
    run = writer.known()
    ledger = ledger_of(run.attempts, sessions_of(run.lines))
    assert ledger.steps == 100
    assert ledger.gpu_ms()["lost"] == 16 * 51 * 4000
    assert (ledger.interruptions, ledger.tokens, ledger.flops) == (1, 100 * 10 * 16, 100 * 100.0 * 16)


def test_a_failed_run_whose_checkpoints_nobody_has_seen_is_unknown() -> None:
    writer = Writer()
    writer.begin()
    writer.do_steps(50)
    writer.end("FAILED")
    ledger = ledger_of(writer.attempts, sessions_of(writer.lines))
    assert ledger.gpu_ms()["productive"] == 0
    assert ledger.gpu_ms()["unknown"] == 16 * 50 * 4000
    assert "no whole checkpoint is known" in ledger.notes[0]


def test_nodes_without_the_run_boot_are_repaired_or_idle() -> None:
    span = NodeSpan("n1", 8, BEGIN_MS - HOUR_MS, BEGIN_MS + 4 * HOUR_MS, BEGIN_MS - HOUR_MS // 2,
                    BEGIN_MS + 2 * HOUR_MS)  # fmt: skip
    ledger = ledger_of([attempt()], spans=[span])
    assert {kind: spent / HOUR_MS / 8 for kind, spent in ledger.outside_gpu_ms.items()} == {
        "boot": 0.5, "idle": 1.5, "repair": 2.0,
    }  # fmt: skip
