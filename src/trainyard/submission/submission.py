"""A whole submission: jobs are submitted, followed and fetched, and each step is remembered before the next."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.submission.job import PlannedJob
from trainyard.submission.job_progress import JobClock, JobsInProgress, follow
from trainyard.submission.scheduler import GONE, JobState, Scheduler
from trainyard.submission.submitted_jobs import (
    SubmissionRecord,
    SubmittedJob,
    read_submission_record,
    submission_lock,
)

# Beside what the jobs may take: nodes start, and others wait in front of them.
_WAITING_S = 3600.0


class JobOutcome(NamedTuple):
    """What has become of a job."""

    job: PlannedJob
    number: str
    state: str
    reason: str
    file: Path | None
    """Its output in the results folder; None before it was fetched, and where it wrote none."""

    @property
    def good(self) -> bool:
        """Return whether it came to its end, as far as anybody knows."""
        return self.file is not None and self.state in {"COMPLETED", GONE}


class Submission:
    """The jobs of one results folder, for which no other call works at the same time."""

    def __init__(
        self, results: Path, scheduler: Scheduler, record: SubmissionRecord, tell: Callable[[str], None]
    ) -> None:
        """Go on with what the folder remembers."""
        self.results, self.scheduler, self.record, self.tell = results, scheduler, record, tell

    def run(self, jobs: Sequence[PlannedJob], clock: JobClock, within_s: float | None) -> None:
        """Submit the jobs and wait until all have ended: each before the next, where the scheduler wants it so."""
        self._refuse_unfit(jobs)
        begin, parts = clock.now(), [[job] for job in jobs] if self.scheduler.one_by_one else [jobs]
        for part in parts:
            left_s = None if within_s is None else within_s - (clock.now() - begin)
            if left_s is not None and left_s <= 0:
                hint = "repeat the command, which goes on with it"
                problem = f"{part[0].id} is not submitted: {(within_s or 0) / 60:.0f} min are over"
                raise TrainyardError(problem, where=part[0].id, hint=hint)
            self.submit(part)
            self.follow(part, clock, left_s)

    def leave(self, jobs: Sequence[PlannedJob]) -> None:
        """Submit without waiting: all of them, or the next one where the scheduler lets none wait for another."""
        self._refuse_unfit(jobs)
        if self.scheduler.lines_up:
            self.submit(jobs)
            return
        for at, job in enumerate(jobs, start=1):
            self.submit([job])
            if not self.has_ended(job.id):
                if left := len(jobs) - at:
                    self.tell(f"{left} more are submitted once it has ended, by the same command")
                return

    def submit(self, jobs: Sequence[PlannedJob]) -> None:
        """Submit what was not, and what has failed before and was told."""
        numbers = self._submitted_before() if self._begun() else {}
        for job in jobs:
            before = self.record.jobs.get(job.id)
            number = numbers.get(job.id)
            if number is not None and (before is None or self.scheduler.is_newer(number, before.number)):
                self.tell(f"{job.id}: submitted before as job {number}")
                self._remember(job.id, SubmittedJob(number))
            elif _is_due(before):
                self._put_away(before)
                self._submit(job)
            elif number is not None and before is not None and before.ended:
                self._let_go(job.id)  # a call that was killed has not

    def follow(self, jobs: Sequence[PlannedJob], clock: JobClock, within_s: float | None) -> None:
        """Wait until they have ended, and fetch what they wrote as soon as they have."""
        numbers = {job.id: self.record.jobs[job.id].number for job in jobs if not self.record.jobs[job.id].ended}
        limit_s = within_s or _WAITING_S + sum(60.0 * job.time_limit_min for job in jobs)
        what = JobsInProgress(self.scheduler, numbers, self.tell, self._ended, self._going)
        follow(what, clock, limit_s, self.scheduler.every_s)
        for job in jobs:
            self._fetch(job.id)

    def cancel(self) -> list[str]:
        """Take back what has not ended, and return which jobs these were."""
        self._adopt()
        left = {id_: submitted.number for id_, submitted in self.record.jobs.items() if not submitted.ended}
        if left:
            self.scheduler.cancel(list(left.values()))
        for id_, number in left.items():
            self.record.jobs[id_] = SubmittedJob(number, "CANCELLED", ended=True, told=True)
        self.record.write(self.results)
        for id_ in left:
            self._let_go(id_)
        return list(left)

    def outcomes(self, jobs: Sequence[PlannedJob]) -> list[JobOutcome]:
        """Return what has become of jobs."""
        return [_outcome(job, self.record.jobs[job.id], self.results) for job in jobs if job.id in self.record.jobs]

    def mark_told(self, jobs: Sequence[PlannedJob]) -> None:
        """Remember that somebody has seen how they ended."""
        for job in jobs:
            self.record.jobs[job.id].told = self.record.jobs[job.id].ended
        self.record.write(self.results)

    def _begun(self) -> bool:
        """Return whether a call before this one may have submitted anything."""
        return bool(self.record.jobs) or self.scheduler.begun(self.record.folder)

    def _refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        due = [job for job in jobs if _is_due(self.record.jobs.get(job.id))]
        if due:
            self.scheduler.refuse_unfit(due)

    def has_ended(self, id_: str) -> bool:
        """Look at a job that was submitted once, and return whether it has ended."""
        submitted_job = self.record.jobs[id_]
        if not submitted_job.ended:
            state = self.scheduler.states([submitted_job.number])[submitted_job.number]
            if state.ended:
                self._ended(id_, state)
        return submitted_job.ended

    def _submitted_before(self) -> dict[str, str]:
        return self.scheduler.submitted_before(self.record.folder, self.record.token)

    def _adopt(self) -> None:
        for id_, number in self._submitted_before().items():
            self.record.jobs.setdefault(id_, SubmittedJob(number))

    def _submit(self, job: PlannedJob) -> None:
        number = self.scheduler.submit(self.record.folder, job, self.record.token, self._last())
        self._remember(job.id, SubmittedJob(number))
        self.tell(f"{job.id}: submitted as job {number}: {job.title}")

    def _last(self) -> str | None:
        """Return the number of the job that the next one waits for."""
        last: str | None = None
        for number in (job.number for job in self.record.jobs.values() if not job.ended):
            last = number if last is None or self.scheduler.is_newer(number, last) else last
        return last

    def _going(self, id_: str) -> None:
        """Keep what a job has written so far. What cannot be had now may be the next time, or at the end."""
        submitted_job = self.record.jobs[id_]
        try:
            self.scheduler.gather(id_, submitted_job.number, self._output(id_))
        except UnreachableError as error:
            self.tell(f"{id_}: {error.problem}; trying again")

    def _ended(self, id_: str, state: JobState) -> None:
        submitted_job = self.record.jobs[id_]
        submitted_job.state, submitted_job.reason, submitted_job.ended = state.state, state.reason, True
        self.record.write(self.results)
        self._fetch(id_)
        if submitted_job.file is None:
            self._let_go(id_)

    def _fetch(self, id_: str) -> None:
        submitted_job = self.record.jobs[id_]
        file = self._output(id_)
        if submitted_job.file is None and self.scheduler.fetch(self.record.folder, id_, submitted_job.number, file):
            submitted_job.file = file.name
            self.record.write(self.results)
            self._let_go(id_)

    def _let_go(self, id_: str) -> None:
        submitted_job = self.record.jobs[id_]
        try:
            self.scheduler.let_go(submitted_job.number, submitted_job.state, self._output(id_))
        except UnreachableError as error:
            self.tell(f"{id_}: what is left of it could not be cleared away: {error.problem}")

    def _output(self, id_: str) -> Path:
        return self.results / f"{id_}_{self.record.jobs[id_].number}.out"

    def _remember(self, id_: str, submitted: SubmittedJob) -> None:
        self.record.jobs[id_] = submitted
        self.record.write(self.results)

    def _put_away(self, before: SubmittedJob | None) -> None:
        """Pack what a job wrote that is run again, so that nobody judges it once more."""
        file = self.results / before.file if before is not None and before.file is not None else None
        if file is not None and file.is_file():
            with file.open("rb") as source, gzip.open(f"{file}.gz", "wb") as target:
                shutil.copyfileobj(source, target)
            file.unlink()


@contextmanager
def submission(results: Path, cluster: str, scheduler: Scheduler, tell: Callable[[str], None]) -> Iterator[Submission]:
    """Give the submission of a results folder, alone.

    Raises InputError where the folder is that of another cluster, TrainyardError where somebody else works with it.
    """
    with submission_lock(results):
        record = read_submission_record(results)
        if record is None:
            record = SubmissionRecord(cluster, scheduler.words, "")
            record.folder = scheduler.folder(record.token)
            record.write(results)
        if record.cluster != cluster:
            problem = f"this folder has the results of {record.cluster}, and not of {cluster}"
            raise InputError(problem, where=str(results), hint="name another folder with --results")
        yield Submission(results, scheduler, record, tell)


def _is_due(before: SubmittedJob | None) -> bool:
    """Return whether a job has to be submitted, going by what is remembered of it."""
    return before is None or (before.told and before.state != "COMPLETED")


def _outcome(job: PlannedJob, submitted: SubmittedJob, results: Path) -> JobOutcome:
    return JobOutcome(
        job,
        submitted.number,
        submitted.state,
        submitted.reason,
        results / submitted.file if submitted.file is not None else None,
    )
