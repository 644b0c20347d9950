"""Following a job until it has ended: its state, the log of its main node, and what has become of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_jobs import BatchJob, describe, may_pass
from trainyard.edge.aws.log_events import LogEvent, LogStreamReader
from trainyard.errors import TrainyardError
from trainyard.foreign_text import word_or_quoted

# DescribeJobs of all of an account's users share a limit, so a job that does not move is asked for less often.
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 15.0
LONGEST_S = 14 * 24 * 3600.0
"""How long a job is followed where nothing says how long."""
# Nodes come up within some minutes where there is capacity.
_STUCK_AFTER_S = 600.0
# What does not pass by waiting: https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html
_NEVER_STARTS = "MISCONFIGURATION:"
_FAILURES_ALLOWED = 8
_MOST_EXIT_CODE = 255


@dataclass
class JobFollower:
    """Follows one job."""

    account: Account
    show: Callable[[str], None]
    """Called with each line of the log."""
    tell: Callable[[str], None]
    """Called with what becomes of the job."""
    stuck_hint: str
    """What to do about a job that stays RUNNABLE."""
    go_on_hint: str
    """What to do once this has stopped and the job has not."""
    _told: tuple[str, str, int] = ("", "", 1)
    _runnable_since: float | None = None
    _hinted: bool = False
    _failures: int = 0

    def follow(self, id_: str, within_s: float = LONGEST_S) -> BatchJob:
        """Return the job once it has ended.

        Raises TrainyardError where Batch does not know it, AWS cannot be reached for long, or the time is over.
        """
        log, pause_s, end = _MainLog(self.account, self.show), _FIRST_PAUSE_S, self.account.clock.now() + within_s
        while True:
            moved = self._looked_at(id_, log)
            if isinstance(moved, BatchJob):
                log.finish(moved)
                return moved
            if self.account.clock.now() >= end:
                problem = f"job {id_} has not ended after {within_s / 60:.0f} min"
                raise TrainyardError(problem, where=id_, hint=self.go_on_hint)
            pause_s = _FIRST_PAUSE_S if moved else min(pause_s * 1.5, _LONGEST_PAUSE_S)
            self.account.clock.sleep(pause_s)

    def _looked_at(self, id_: str, log: _MainLog) -> BatchJob | bool:
        """Return the job where it has ended, otherwise whether anything is new."""
        try:
            job = _described(self.account, id_)
            changed = self._changed(job)
            lines = log.go_on(job)
        except TrainyardError as error:
            self._passing(error)
            return False
        self._failures = 0
        return job if job.ended else changed or lines > 0

    def _changed(self, job: BatchJob) -> bool:
        now = (job.status, job.reason, job.attempt)
        changed, self._told = now != self._told, now
        if changed:
            attempt = f"attempt {job.attempt} of {job.attempts}: " if job.attempt > 1 else ""
            self.tell(f"{attempt}{job.status}{f': {word_or_quoted(job.reason)}' if job.reason else ''}")
        self._hint_if_stuck(job)
        return changed

    def _hint_if_stuck(self, job: BatchJob) -> None:
        if job.status != "RUNNABLE":
            self._runnable_since, self._hinted = None, False
            return
        if self._runnable_since is None:
            self._runnable_since = self.account.clock.now()
        waited_s, never = self.account.clock.now() - self._runnable_since, job.reason.startswith(_NEVER_STARTS)
        if (never or waited_s >= _STUCK_AFTER_S) and not self._hinted:
            self._hinted = True
            how_long = "RUNNABLE, and waiting will not help" if never else f"RUNNABLE for {waited_s / 60:.0f} min"
            self.tell(f"{how_long}: {self.stuck_hint}")

    def _passing(self, error: TrainyardError) -> None:
        """Wait a little where the error may pass. Raises it where it will not, or has not."""
        self._failures += 1
        if not may_pass(error) or self._failures > _FAILURES_ALLOWED:
            raise error
        self.tell(f"{error.problem}; trying again")
        self.account.clock.sleep(_FIRST_PAUSE_S * 2 ** min(self._failures, 5))


def _described(account: Account, id_: str) -> BatchJob:
    job = describe(account, id_)
    if job is None:
        hint = "check the id and --region; Batch forgets jobs some days after their end"
        raise TrainyardError(f"AWS Batch knows no job {id_} in {account.region}", where=id_, hint=hint)
    return job


@dataclass
class _MainLog:
    """Shows what is new in the log, whenever it is asked to."""

    account: Account
    show: Callable[[str], None]
    _streams: dict[str, LogStreamReader] = field(default_factory=dict)

    def go_on(self, job: BatchJob) -> int:
        """Show what is new, and return how many lines that were. A further attempt begins a stream of its own."""
        return sum(self._shown(self._stream(job, name).new()) for name in job.main.log_streams)

    def finish(self, job: BatchJob) -> None:
        """Show the rest of a job that has ended."""
        self.go_on(job)
        for name in job.main.log_streams[-1:]:
            self._shown(self._stream(job, name).rest(job.stopped_ms))

    def _stream(self, job: BatchJob, name: str) -> LogStreamReader:
        return self._streams.setdefault(name, LogStreamReader(self.account, job.main.log_group, name))

    def _shown(self, events: Iterator[LogEvent]) -> int:
        lines = 0
        for event in events:
            self.show(event.message)
            lines += 1
        return lines


def exit_status(job: BatchJob) -> int:
    """Return 0 for a job that succeeded, otherwise the exit code of its main node's container, 1 where it has none."""
    if job.status == "SUCCEEDED":
        return 0
    exit_code = job.main.exit_code
    return exit_code if exit_code is not None and 0 < exit_code <= _MOST_EXIT_CODE else 1


def outcome_words(job: BatchJob) -> str:
    """Return how a job ended, on one line."""
    if job.status == "SUCCEEDED":
        return f"job {job.id} has succeeded"
    exit_code = "" if job.main.exit_code is None else f" with exit code {job.main.exit_code}"
    reasons = dict.fromkeys(word_or_quoted(reason) for reason in (job.reason, job.main.reason) if reason)
    return ": ".join((f"job {job.id} has failed{exit_code}", *(["; ".join(reasons)] if reasons else [])))
