"""Accounts for a run: its starts, what its processes have told, checkpoints and nodes become one ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from trainyard.foreign_text import word_or_quoted
from trainyard.training.ledger.attempt import KINDS, STEP, Attempt, NodeSpan, Session
from trainyard.training.ledger.gpu_activity import GpuSpan
from trainyard.training.ledger.gpu_timeline import GpuTimelines
from trainyard.training.ledger.timeline import Pace, Segment, timeline_of

_SAMPLE = 20_001
_TELLING_SHIFT_MS = 1000


class Checkpoint(NamedTuple):
    """A checkpoint that lies in the folder of a run."""

    step: int
    written_ms: int
    is_whole: bool


class AttemptLedger(NamedTuple):
    """A start of a run, and what its time was."""

    attempt: Attempt
    segments: tuple[Segment, ...]

    def gpu_ms(self) -> dict[str, int]:
        """Return the milliseconds of GPUs by kind."""
        sums: dict[str, int] = {}
        for segment in self.segments:
            taken = (segment.end_ms - segment.begin_ms) * self.attempt.gpu_count
            sums[segment.kind] = sums.get(segment.kind, 0) + taken
        return sums


class Ledger(NamedTuple):
    """A run in sum. ``outside`` is what nodes cost while the run was not on them."""

    run: str
    attempts: tuple[AttemptLedger, ...]
    outside_gpu_ms: dict[str, int]
    queue_gpu_ms: int
    step_ms: int | None
    steps: int
    tokens: float
    flops: float
    sessions: tuple[Session, ...]
    notes: tuple[str, ...]

    def gpu_ms(self) -> dict[str, int]:
        """Return the milliseconds of GPUs by kind, each kind once. Their sum is all that was allocated."""
        parts = [self.outside_gpu_ms, *(attempt.gpu_ms() for attempt in self.attempts)]
        return {kind: sum(part.get(kind, 0) for part in parts) for kind in KINDS}

    @property
    def wall_ms(self) -> int:
        """Return the time from the first start to the end of the last, with queues between them."""
        starts = [item.attempt for item in self.attempts]
        return max(start.end_ms for start in starts) - min(start.begin_ms for start in starts) if starts else 0

    @property
    def running_ms(self) -> int:
        """Return how long the run had nodes."""
        return sum(item.attempt.end_ms - item.attempt.begin_ms for item in self.attempts)

    @property
    def useful_ms(self) -> int:
        """Return how long it did steps that count."""
        return sum(part.end_ms - part.begin_ms
                   for item in self.attempts for part in item.segments if part.kind == "productive")  # fmt: skip

    @property
    def interruptions(self) -> int:
        """Return how many starts ended in a way that nobody had meant."""
        own = sum(item.attempt.has_failed or self._was_ended_by_script(item) for item in self.attempts)
        # A start may hold several processes, one after another, where a script starts them again.
        return own + sum(session.reason == "error" for session in self.sessions[:-1] if session.job is None)

    def _was_ended_by_script(self, item: AttemptLedger) -> bool:
        """Return whether a script has put a job into the queue again because its processes had died, or hung."""
        start = item.attempt
        if not start.state.startswith("REQUEUED"):
            return False
        own = [one for one in self.sessions if (one.job, one.attempt) == (start.job, start.restart)]
        return any(one.reason == "error" for one in own) or any(part.kind == "hang" for part in item.segments)


def ledger_of(
    attempts: Sequence[Attempt],
    sessions: Iterable[Session] = (),
    checkpoints: Sequence[Checkpoint] = (),
    spans: Sequence[NodeSpan] = (),
    gpu_spans: Callable[[Attempt], Sequence[GpuSpan]] | None = None,
) -> Ledger:
    """Return the ledger of one run. Without ``attempts``, its processes say as much as they know.

    ``gpu_spans`` is asked what GPUs did in starts of which no process has told.
    """
    told = sorted(sessions, key=lambda session: session.begin_ms)
    notes: list[str] = []
    starts = sorted(attempts, key=lambda attempt: attempt.begin_ms)
    if not starts:
        starts = _starts_of(told, notes)
    by_attempt = _by_attempt(starts, told, notes)
    told = [session for index in range(len(starts)) for session in by_attempt[index]]
    pace = _pace(told)
    whole = [checkpoint.step for checkpoint in checkpoints if checkpoint.is_whole]
    half = sum(not checkpoint.is_whole for checkpoint in checkpoints)
    if half:
        notes.append(f"{half} half-written checkpoint{'s' * (half != 1)} not counted")
    lost_from, unsure = _lost(starts, told, whole, notes)
    done: list[AttemptLedger] = []
    counted = [0, 0.0, 0.0]
    told_by_gpus = GpuTimelines()
    for index, attempt in enumerate(starts):
        own = [(session, lost_from[id(session)]) for session in by_attempt[index]]
        step_kind = "unknown" if unsure and own and own[-1][0] is told[-1] else "productive"
        if own:
            segments = timeline_of(attempt, own, pace, _boot_end(attempt, spans), step_kind)
            for session, first_lost in own:
                _count(counted, session, first_lost)
        else:
            saved_ms = _saved_ms(attempt, checkpoints)
            segments, note = _by_checkpoints(attempt, saved_ms, _boot_end(attempt, spans))
            if of_gpus := gpu_spans(attempt) if gpu_spans else ():
                segments = told_by_gpus.segments(attempt, of_gpus, saved_ms, segments)
            else:
                notes.append(note)
        done.append(AttemptLedger(attempt, tuple(segments)))
    notes += told_by_gpus.notes()
    return Ledger(
        run=starts[0].run if starts else "",
        attempts=tuple(done),
        outside_gpu_ms=outside_gpu_ms(starts, spans),
        queue_gpu_ms=sum((start.begin_ms - start.submitted_ms) * start.gpu_count
                         for start in starts if start.submitted_ms is not None and start.submitted_ms < start.begin_ms),
        step_ms=pace.step_ms or None,
        steps=int(counted[0]),
        tokens=counted[1],
        flops=counted[2],
        sessions=tuple(told),
        notes=tuple(notes),
    )  # fmt: skip


def _starts_of(sessions: Sequence[Session], notes: list[str]) -> list[Attempt]:
    """Return starts as the processes tell of them, where there is no accounting."""
    if sessions:
        notes.append("no accounting: starts are as the progress tells, and what lies before and behind is not in it")
    starts = []
    for index, session in enumerate(sessions):
        gpus = {session.node or "?": session.world_size or 1}
        starts.append(Attempt("", session.job or str(index), session.attempt or 0, None, session.begin_ms,
                              session.end_ms, is_running=False,
                              state="COMPLETED" if session.reason in ("done", "signal") else "FAILED",
                              gpus=gpus))  # fmt: skip
    return starts


def _by_attempt(starts: Sequence[Attempt], sessions: Sequence[Session], notes: list[str]) -> list[list[Session]]:
    """Return the sessions of each start, by their job and by when they were, moved where a clock is wrong."""
    found: list[list[Session]] = [[] for _ in starts]
    shifts: dict[str, int] = {}
    for session in sessions:
        named = any(start.job == session.job for start in starts)
        matches = [_match(start, session, any_of_job=named) for start in starts]
        index = max(range(len(starts)), key=matches.__getitem__, default=-1)
        if index < 0 or matches[index] == (0, 0, 0):
            notes.append(f"progress of {word_or_quoted(session.node)} belongs to no start that is known")
            continue
        start = starts[index]
        shift = max(start.begin_ms - session.begin_ms, 0) or min(start.end_ms - session.end_ms, 0)
        if abs(shift) > _TELLING_SHIFT_MS:
            shifts[session.node] = shift
        if shift:
            session.shift(shift)
        found[index].append(session)
    for node, shift in shifts.items():
        side = "behind" if shift > 0 else "ahead"
        name = word_or_quoted(node)
        notes.append(f"the clock of {name} is {abs(shift) / 1000:,.0f} s {side}, at least; its times are moved by that")
    for own in found:
        own.sort(key=lambda session: session.begin_ms)
    return found


def _match(start: Attempt, session: Session, *, any_of_job: bool) -> tuple[int, int, int]:
    """Return how well both fit: the same job and start first, then for how long both were there."""
    overlap = min(start.end_ms, session.end_ms) - max(start.begin_ms, session.begin_ms)
    if session.job is None or not any_of_job:
        return (0, 0, overlap + 1 if overlap >= 0 else 0)
    if session.job != start.job:
        return (0, 0, 0)
    return (1, int(session.attempt == start.restart), overlap)


def _pace(sessions: Sequence[Session]) -> Pace:
    """Return the median step of a sample over the whole run."""
    total = sum(len(session.kinds) for session in sessions)
    stride = total // _SAMPLE + 1
    taken = sorted(
        end_ms - begin_ms
        for session in sessions
        for what, begin_ms, end_ms in zip(
            session.kinds[::stride], session.begins[::stride], session.ends[::stride], strict=True
        )
        if what == STEP and end_ms > begin_ms
    )
    return Pace(taken[len(taken) // 2] if taken else 0)


def _lost(
    starts: Sequence[Attempt], sessions: Sequence[Session], whole: Sequence[int], notes: list[str]
) -> tuple[dict[int, int | None], bool]:
    """Return from which step on the work of each session was lost, and whether nobody knows it of the last one."""
    lost: dict[int, int | None] = {}
    unsure, least = False, None
    if sessions and starts and not starts[-1].is_running and sessions[-1].reason != "done":
        own = (session.saved_step for session in sessions)
        saved = [*(step for step in own if step is not None), *whole]
        least = max(saved, default=None)
        if least is None and sessions[-1].reason is None and starts[-1].state != "COMPLETED":
            unsure = True
            notes.append("no whole checkpoint is known: whether the last start's steps are kept is unknown")
    for session in reversed(sessions):
        lost[id(session)] = least
        resumed = session.resumed_at
        if resumed is not None:
            least = resumed if least is None else min(least, resumed)
    return lost, unsure


def _count(counted: list[float], session: Session, first_lost: int | None) -> None:
    ranks = session.world_size or 1
    for what, number, tokens, flops in zip(session.kinds, session.numbers, session.tokens, session.flops, strict=True):
        if what == STEP and (first_lost is None or number < first_lost):
            counted[0] += 1
            counted[1] += tokens * ranks
            counted[2] += flops * ranks


def _boot_end(attempt: Attempt, spans: Sequence[NodeSpan]) -> int:
    """Return until when the start waited for its last node to boot."""
    ready = [span.ready_ms for span in spans if span.node in attempt.gpus and span.ready_ms is not None
             and span.launched_ms <= attempt.end_ms and span.ready_ms <= attempt.end_ms
             and span.ended_ms > attempt.begin_ms]  # fmt: skip
    return max([attempt.begin_ms, *ready])


def _saved_ms(attempt: Attempt, checkpoints: Sequence[Checkpoint]) -> list[int]:
    """Return when whole checkpoints were written in a start."""
    written = (checkpoint.written_ms for checkpoint in checkpoints if checkpoint.is_whole)
    return sorted(at_ms for at_ms in written if attempt.begin_ms < at_ms <= attempt.end_ms)


def _by_checkpoints(attempt: Attempt, saved_ms: Sequence[int], boot_until_ms: int) -> tuple[list[Segment], str]:
    """Return what checkpoints alone say of a start without progress, and what they do not say.

    Between two of them, steps were done.
    """
    name = f"job {word_or_quoted(attempt.job)}, start {attempt.restart}"
    cuts = [(min(boot_until_ms, attempt.end_ms), "boot")]
    if not saved_ms:
        note = f"{name}: no line of progress and no checkpoint: its time is unknown"
    else:
        note = f"{name}: no line of progress: start-up is unknown, and writing checkpoints counts as productive"
        cuts += [(saved_ms[0], "unknown"), (saved_ms[-1], "productive")]
        is_kept = attempt.is_running or attempt.state.startswith("COMPLETED")
        cuts.append((attempt.end_ms, "productive" if is_kept else "lost"))
    cuts.append((attempt.end_ms, "unknown"))
    segments, at_ms = [], attempt.begin_ms
    for end_ms, kind in cuts:
        if end_ms > at_ms:
            segments.append(Segment(at_ms, end_ms, kind))
            at_ms = end_ms
    return segments, note


def outside_gpu_ms(starts: Sequence[Attempt], spans: Sequence[NodeSpan]) -> dict[str, int]:
    """Return what nodes cost while no start had them: they boot, they wait to be repaired, or they are idle."""
    sums = {"boot": 0, "repair": 0, "idle": 0}
    for span in spans:
        at_ms = span.launched_ms
        taken = sorted((start.begin_ms, start.end_ms) for start in starts if span.node in start.gpus)
        for begin_ms, end_ms in [*taken, (span.ended_ms, span.ended_ms)]:
            for from_ms, to_ms, kind in _free(span, at_ms, min(begin_ms, span.ended_ms)):
                sums[kind] += max(to_ms - from_ms, 0) * span.gpus
            at_ms = max(at_ms, end_ms)
    return sums


def _free(span: NodeSpan, begin_ms: int, end_ms: int) -> Iterable[tuple[int, int, str]]:
    ready = min(max(span.ready_ms if span.ready_ms is not None else span.ended_ms, begin_ms), max(end_ms, begin_ms))
    failed = min(max(span.failed_ms if span.failed_ms is not None else span.ended_ms, ready), max(end_ms, ready))
    return ((begin_ms, ready, "boot"), (ready, failed, "idle"), (failed, end_ms, "repair"))
