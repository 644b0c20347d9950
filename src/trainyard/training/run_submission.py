"""Submitting a run, and looking at it: a folder remembers which job it is, so that every call goes on with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import InputError, TrainyardError
from trainyard.submission.job import PlannedJob
from trainyard.submission.job_progress import JobClock
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import JobState, Scheduler
from trainyard.submission.submission import submission
from trainyard.submission.submitted_jobs import read_submission_record
from trainyard.training.job import run_folder
from trainyard.training.run import Run
from trainyard.training.run_progress import RunProgress, run_progress, shown_progress

# Some hundred lines.
_TAIL_BYTES = 16_000
_FAILURES_ALLOWED = 5


@runtime_checkable
class TellsOutput(Protocol):
    """A scheduler that has the log of a job while it runs, in which the line of a step is shown now and then."""

    def newest_output(self, number: str) -> list[str]:
        """Return the last lines that the first node of a job wrote; none before it has begun."""


@runtime_checkable
class ForgetsNodes(Protocol):
    """A scheduler that forgets, of a job that runs, which nodes it had before."""

    def keep_nodes(self, number: str, folder: Path) -> None:
        """Add the nodes of a job to what is kept of them in a folder."""


class RunCluster(NamedTuple):
    """The cluster of a run."""

    name: str
    scheduler: Scheduler


class SubmittedRun(NamedTuple):
    """A run that has a job."""

    name: str
    job: str
    """Slurm's number, the id that AWS Batch gave, or what tells jobs of one name apart on Amazon EKS."""
    folder: Path
    """Where it is remembered."""
    where: str
    is_new: bool
    """Whether this call has submitted it."""


class RunState(NamedTuple):
    """A look at a run."""

    job: str
    state: JobState
    progress: RunProgress


def results_folder(run: Run) -> Path:
    """Return where a run is remembered, unless another folder is given."""
    return Path("runs") / run.name


def submit_run(planned: PlannedJob, cluster: RunCluster, results: Path, tell: Callable[[str], None]) -> SubmittedRun:
    """Submit a run, unless it is under way. One that has failed or was taken back is submitted once more, and goes on.

    Raises InputError where it has come to its end; TrainyardError where the scheduler or the way there fails.
    """
    name, scheduler = planned.id, cluster.scheduler
    with submission(results, cluster.name, scheduler, tell) as begun:
        before = begun.record.jobs.get(name)
        if before is not None and not begun.has_ended(name):
            return SubmittedRun(name, before.number, results, scheduler.words, is_new=False)
        if before is not None and begun.record.jobs[name].state == "COMPLETED":
            problem = f"the run {name} has come to its end, as job {before.number}"
            hint = "to train on, give it another name in its file, or another folder with --results"
            raise InputError(problem, where=str(results), hint=hint)
        if before is not None:
            begun.mark_told([planned])
        begun.leave([planned])
        return SubmittedRun(name, begun.record.jobs[name].number, results, scheduler.words, is_new=True)


def cancel_run(cluster: RunCluster, results: Path, tell: Callable[[str], None]) -> list[str]:
    """Take a run back, and return the numbers of jobs that were under way."""
    _job_of(results)
    with submission(results, cluster.name, cluster.scheduler, tell) as begun:
        return [begun.record.jobs[name].number for name in begun.cancel()]


def look_at_run(
    run: Run, scheduler: Scheduler, results: Path, tell: Callable[[str], None] = lambda _: None
) -> RunState:
    """Return how a run is now, and keep which nodes it has. Raises UnreachableError where that may pass."""
    number = _job_of(results)
    state = scheduler.states([number])[number]
    if isinstance(scheduler, ForgetsNodes):
        try:
            scheduler.keep_nodes(number, results)
        except UnreachableError:
            raise
        except TrainyardError as error:  # the run can be looked at all the same
            tell(f"which nodes it has is not kept for its report: {error.problem}")
    return RunState(number, state, _progress(run, scheduler, number))


def watch_run(
    run: Run, scheduler: Scheduler, results: Path, clock: JobClock, tell: Callable[[str], None]
) -> Iterator[RunState]:
    """Yield how a run is, until it has ended. A connection that breaks is tried again five times."""
    failures, told = 0, set[str]()

    def tell_once(text: str) -> None:
        if text not in told:
            told.add(text)
            tell(text)

    while True:
        try:
            look = look_at_run(run, scheduler, results, tell_once)
        except UnreachableError as error:
            failures += 1
            if failures > _FAILURES_ALLOWED:
                raise
            tell(f"{error.problem}; trying again")
        else:
            failures = 0
            yield look
            if look.state.ended:
                return
        clock.sleep(scheduler.every_s * (failures or 1))


def _job_of(results: Path) -> str:
    record = read_submission_record(results) if results.is_dir() else None
    if record is None or not record.jobs:
        hint = "`trainyard run submit` submits it; --results names the folder of one that was"
        raise InputError("this run was not submitted from here", where=str(results), hint=hint)
    return next(iter(record.jobs.values())).number


def _progress(run: Run, scheduler: Scheduler, number: str) -> RunProgress:
    """Return how far it has come: by the file system of the run where it is seen from there, otherwise by its log."""
    if isinstance(scheduler, TellsOutput):
        try:
            return run_progress(shown_progress(scheduler.newest_output(number)))
        except TrainyardError:  # who may see jobs need not be allowed to read logs
            return RunProgress()
    if run.checkpoints is None or not isinstance(scheduler, OnSlurm):
        return RunProgress()
    file = f"{run_folder(run)}/progress/rank-0.jsonl"
    answer = scheduler.head.run(("tail", f"--bytes={_TAIL_BYTES}", file))
    return run_progress(answer.text) if not answer.status else RunProgress()
