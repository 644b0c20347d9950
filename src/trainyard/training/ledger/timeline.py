"""Divides the time of one start of a run into kinds: an exact partition, whatever the lines say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trainyard.training.ledger.attempt import LOAD, SAVE, STEP, Attempt, Session

_LEAST_HANG_MS = 60_000
_HANG_STEPS = 10
_SLOW_SHARE = 1.5


class Segment(NamedTuple):
    """A time of one kind."""

    begin_ms: int
    end_ms: int
    kind: str


class Pace(NamedTuple):
    """How long a step of the run takes, and what is far longer."""

    step_ms: int

    @property
    def hang_ms(self) -> int:
        """Return what is no step any more."""
        return max(_LEAST_HANG_MS, _HANG_STEPS * self.step_ms)

    @property
    def slow_ms(self) -> int:
        """Return what is a slow step."""
        return int(_SLOW_SHARE * self.step_ms)


class Timeline:
    """Segments without gaps from the begin of an attempt to its end."""

    __slots__ = ("at_ms", "begin_ms", "end_ms", "ended", "kind")

    def __init__(self, begin_ms: int, end_ms: int) -> None:
        """Begin an empty one."""
        self.at_ms = self.begin_ms = begin_ms
        self.end_ms = end_ms
        self.kind = ""
        self.ended: list[Segment] = []

    def until(self, time_ms: int, kind: str) -> None:
        """Go on to a time, which is of one kind. A time that has passed already adds nothing."""
        time_ms = min(time_ms, self.end_ms)
        if time_ms <= self.at_ms:
            return
        if kind != self.kind:
            self._end()
            self.kind = kind
        self.at_ms = time_ms

    def _end(self) -> None:
        if self.at_ms > self.begin_ms:
            self.ended.append(Segment(self.begin_ms, self.at_ms, self.kind))
        self.begin_ms = self.at_ms

    @property
    def segments(self) -> list[Segment]:
        """Return all segments, when nothing more comes."""
        self._end()
        return self.ended


def timeline_of(
    attempt: Attempt, sessions: Sequence[tuple[Session, int | None]], pace: Pace, boot_until_ms: int, step_kind: str
) -> list[Segment]:
    """Return the segments of a start.

    Each of the ``sessions`` comes with the first step of it that is lost, None where all count. ``step_kind`` is what
    those that count are: productive, or unknown where nobody knows whether a checkpoint holds them.
    """
    timeline = Timeline(attempt.begin_ms, attempt.end_ms)
    timeline.until(boot_until_ms, "boot")
    former: Session | None = None
    for session, lost_from in sessions:
        gap_ms = session.begin_ms - timeline.at_ms
        stood_still = former is not None and former.reason is None and gap_ms > pace.hang_ms
        timeline.until(session.begin_ms, "hang" if stood_still else "start-up")
        _add_session(timeline, session, lost_from, pace, step_kind)
        former = session
    if former is None:
        timeline.until(attempt.end_ms, "unknown")
    elif former.reason is not None:
        timeline.until(attempt.end_ms, "idle")
    elif attempt.is_running and attempt.end_ms - timeline.at_ms <= pace.hang_ms:
        timeline.until(attempt.end_ms, step_kind if STEP in former.kinds else "start-up")
    else:
        timeline.until(timeline.at_ms + pace.step_ms, "lost")  # the step that was under way
        timeline.until(attempt.end_ms, "hang")
    return timeline.segments


def _add_session(timeline: Timeline, session: Session, lost_from: int | None, pace: Pace, step_kind: str) -> None:
    is_first_step = True
    for what, number, begin_ms, end_ms in zip(
        session.kinds, session.numbers, session.begins, session.ends, strict=True
    ):
        kind = "lost" if lost_from is not None and number >= lost_from else step_kind
        if what == STEP and not is_first_step and end_ms - timeline.at_ms <= pace.slow_ms:
            timeline.until(end_ms, kind)  # as nearly all are
            continue
        gap_kind = "start-up" if is_first_step else kind if begin_ms - timeline.at_ms <= pace.hang_ms else "hang"
        if what != STEP and not is_first_step and gap_kind != "hang":
            gap_kind = step_kind
        timeline.until(begin_ms, gap_kind)
        if what == SAVE:
            timeline.until(end_ms, "save")
        elif what == LOAD:
            timeline.until(end_ms, "load")
        else:
            _add_step(timeline, end_ms, kind, pace, is_first=is_first_step)
            is_first_step = False
    timeline.until(session.end_ms, "start-up" if is_first_step else step_kind)


def _add_step(timeline: Timeline, end_ms: int, kind: str, pace: Pace, *, is_first: bool) -> None:
    taken_ms = min(end_ms, timeline.end_ms) - timeline.at_ms
    if taken_ms > pace.slow_ms:
        # What comes first is not slow by itself: compilation and first allocations are in it.
        excess = "start-up" if is_first else "hang" if taken_ms > pace.hang_ms else "slow"
        timeline.until(end_ms - pace.step_ms, excess)
    timeline.until(end_ms, kind)
