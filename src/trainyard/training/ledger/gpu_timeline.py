"""Divides a start that tells of no progress by what its GPUs did, as their metrics have it: an exact partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from trainyard.training.ledger.attempt import Attempt
from trainyard.training.ledger.gpu_activity import GpuSpan, step_s_of
from trainyard.training.ledger.timeline import Segment, Timeline

STILL_MS = 900_000
"""From when on GPUs that stand still are taken for more than a checkpoint, as the alert job-hangs does."""


class GpuTimelines:
    """Starts that are told by metrics, and what of them stays unknown."""

    def __init__(self) -> None:
        """Begin without any."""
        self._starts = self._step_s = 0
        self._gpu_ms: dict[str, int] = {}

    def segments(
        self, attempt: Attempt, spans: Sequence[GpuSpan], saved_ms: Sequence[int], otherwise: Sequence[Segment]
    ) -> list[Segment]:
        """Return the segments of a start.

        ``saved_ms`` is when whole checkpoints were written in it, in order, and ``otherwise`` what it is without
        metrics: that holds where they are missing, and while its nodes boot.
        """
        self._starts, self._step_s = self._starts + 1, max(self._step_s, step_s_of(attempt))
        timeline = _GpuTimeline(attempt, saved_ms, otherwise)
        timeline.take(spans)
        for why, taken_ms in timeline.unknown_ms.items():
            self._gpu_ms[why] = self._gpu_ms.get(why, 0) + taken_ms * attempt.gpu_count
        return timeline.timeline.segments

    def notes(self) -> Iterator[str]:
        """Yield by what the starts are told, and why of how much time nothing is known."""
        if self._starts:
            starts = "1 start" if self._starts == 1 else f"{self._starts:,} starts"
            every_min = f"{self._step_s / 60:.3g} min"
            yield f"{starts} without a line of progress told by metrics of GPUs, of every {every_min}"
        for why, gpu_ms in self._gpu_ms.items():
            yield f"{gpu_ms / 3_600_000:,.1f} GPU-hours {_WHY[why]}"


_WHY = {
    "missing": "without metrics of at least half of the nodes",
    "unclear": "of busy GPUs of which nobody measures tensor cores: whether they computed is unknown",
    "kept": "of computing in starts that failed, without a checkpoint that is known: whether it is kept is unknown",
    "still": "in which GPUs stood still, too short to be told from a checkpoint",
    "mixed": "in which less than half of the nodes computed",
    "contradiction": "in which GPUs stood still, and yet a checkpoint was written behind it: what it was is unknown",
}


class _GpuTimeline:
    """The timeline of one start, and for how long it is unknown, by reason."""

    def __init__(self, attempt: Attempt, saved_ms: Sequence[int], otherwise: Sequence[Segment]) -> None:
        self.timeline = Timeline(attempt.begin_ms, attempt.end_ms)
        self.unknown_ms: dict[str, int] = {}
        self._saved_ms, self._otherwise, self._step_ms = saved_ms, otherwise, 1000 * step_s_of(attempt)
        self._is_kept = attempt.is_running or attempt.state.startswith("COMPLETED")

    def take(self, spans: Sequence[GpuSpan]) -> None:
        if self._otherwise and self._otherwise[0].kind == "boot":
            self.timeline.until(self._otherwise[0].end_ms, "boot")
        # A start may have computed where nobody can tell, but for the minutes until its nodes are scraped.
        active = [number for number, span in enumerate(spans)
                  if span.state in {"computing", "unclear"}
                  or (span.state == "missing" and (number or span.end_ms - span.begin_ms >= STILL_MS))]  # fmt: skip
        first, last = (active[0], active[-1]) if active else (len(spans), len(spans))
        still_ms = _still_ms(spans)
        for number, span in enumerate(spans):
            if span.state in {"missing", "unclear"}:
                self._take_otherwise(span)
            elif span.state == "computing":
                self._take_computing(span)
            elif number < first:
                # Before anything computes, GPUs may be idle for long while containers and data come.
                long_states = {"waiting": "hang"} if active else {"waiting": "hang", "idle": "idle"}
                is_long = span.end_ms - span.begin_ms >= STILL_MS
                self.timeline.until(span.end_ms, long_states.get(span.state, "start-up") if is_long else "start-up")
            else:
                self._take_still(span, is_last=number > last, is_long=still_ms[number] >= STILL_MS)
        self.timeline.until(self.timeline.end_ms, "unknown")

    def _take_otherwise(self, span: GpuSpan) -> None:
        for segment in self._otherwise:
            end_ms = min(segment.end_ms, span.end_ms)
            if segment.kind == "unknown":
                self._add_unknown(end_ms, span.state)
            else:
                self.timeline.until(end_ms, segment.kind)

    def _take_computing(self, span: GpuSpan) -> None:
        if self._is_kept:
            self.timeline.until(span.end_ms, "productive")
        elif self._saved_ms:
            self.timeline.until(min(self._saved_ms[-1], span.end_ms), "productive")
            self.timeline.until(span.end_ms, "lost")
        else:
            self._add_unknown(span.end_ms, "kept")

    def _take_still(self, span: GpuSpan, *, is_last: bool, is_long: bool) -> None:
        """Take a time in which GPUs do nothing, or wait: what ends with a checkpoint was the writing of it."""
        written_ms = max((at for at in self._saved_ms if span.begin_ms < at <= span.end_ms + self._step_ms), default=0)
        if written_ms:
            end_ms = span.end_ms if span.end_ms - written_ms <= self._step_ms else written_ms
            if end_ms - span.begin_ms < STILL_MS:
                self.timeline.until(end_ms, "save")
            else:
                self._add_unknown(end_ms, "contradiction")
            is_long = span.end_ms - self.timeline.at_ms >= STILL_MS
        if span.state == "waiting" and is_long:
            self.timeline.until(span.end_ms, "hang")
        elif span.state == "idle" and (is_long or is_last):
            self.timeline.until(span.end_ms, "idle")
        else:
            self._add_unknown(span.end_ms, "mixed" if span.state == "mixed" else "still")

    def _add_unknown(self, end_ms: int, why: str) -> None:
        taken_ms = min(end_ms, self.timeline.end_ms) - self.timeline.at_ms
        if taken_ms > 0:
            self.unknown_ms[why] = self.unknown_ms.get(why, 0) + taken_ms
            self.timeline.until(end_ms, "unknown")


def _still_ms(spans: Sequence[GpuSpan]) -> list[int]:
    """Return for each span how long nothing computes around it: some nodes of a hang may leave it now and then."""
    lengths: list[int] = []
    for is_still, together in groupby(spans, key=lambda span: span.state in {"waiting", "idle", "mixed"}):
        own = list(together)
        lengths += [own[-1].end_ms - own[0].begin_ms if is_still else 0] * len(own)
    return lengths
