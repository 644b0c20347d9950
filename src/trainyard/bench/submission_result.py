"""Submitting the jobs of a cluster, and what their results say."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from trainyard.bench.file_judgement import FileJudgement, judge_files
from trainyard.bench.gpu_check import GpuCheck, check_gpus
from trainyard.bench.job_selection import JobSelection, selected_jobs
from trainyard.bench.judge import Judgement
from trainyard.edge.aws.account import Clock
from trainyard.errors import InputError
from trainyard.platform_entry import Platform
from trainyard.platform_table import platform_of
from trainyard.render.bench.mpi_job import run_name
from trainyard.submission.cluster import JobCluster
from trainyard.submission.job import PlannedJob
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler
from trainyard.submission.submission import JobOutcome, submission

_TAIL_BYTES, _MOST_LETTERS = 4096, 300


class JobResult(NamedTuple):
    """What has become of a job, and what its results say."""

    outcome: JobOutcome
    judged: tuple[FileJudgement, ...] = ()
    gpus: GpuCheck | None = None
    unreadable: str | None = None
    """Why nothing in its output can be judged."""

    @property
    def good(self) -> bool:
        """Return whether the job came to its end, and everything in it is healthy.

        What ran on CPUs, or on one GPU, is held against nothing, and good where nothing is wrong with it.
        """
        if not self.outcome.good or self.unreadable is not None:
            return False
        fine = [_is_fine(result.judgement) for result in self.judged]
        fine += [self.gpus.verdict == "healthy"] if self.gpus else []
        return bool(fine) and all(fine)


@dataclass(frozen=True, slots=True)
class SubmissionResult:
    """A submission, as far as it has come."""

    cluster: str
    platform: Platform
    results: Path
    jobs: tuple[JobResult, ...]
    followed: bool

    @property
    def good(self) -> bool:
        """Return whether every job is good; of jobs that nobody waited for, that they were submitted."""
        return not self.followed or all(job.good for job in self.jobs)


def submit_jobs(  # noqa: PLR0913  one for each option
    cluster: JobCluster,
    jobs: JobSelection,
    *,
    results: Path | None = None,
    wait: bool = True,
    within_s: float | None = None,
    clock: Clock | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> SubmissionResult:
    """Submit the jobs, follow them, fetch what they wrote and judge it.

    What a call before this one has submitted to the same folder is not submitted again, unless it has failed.
    Raises InputError where a job is meant that there is not, TrainyardError where the scheduler or the way there fails.
    """
    scheduler, spec = cluster.scheduler, cluster.spec
    selected = selected_jobs(spec, jobs, jobs.python or _python_of(scheduler))
    folder = results or results_of(spec.name)
    with submission(folder, spec.name, scheduler, tell) as begun:
        if wait:
            begun.run(selected, clock or Clock(), within_s)
        else:
            begun.leave(selected)
        job_results = tuple(
            _job_result(outcome) if wait else JobResult(outcome) for outcome in begun.outcomes(selected)
        )
        if wait:
            begun.mark_told(selected)
    return SubmissionResult(spec.name, platform_of(spec), folder, job_results, wait)


def cancel_jobs(
    cluster: JobCluster, *, results: Path | None = None, tell: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Take back all jobs of a results folder that have not ended, and return which these were."""
    folder = results or results_of(cluster.spec.name)
    if not folder.is_dir():
        problem, hint = f"there is no folder {folder}", "name the one that the jobs were submitted with, by --results"
        raise InputError(problem, where=str(folder), hint=hint)
    with submission(folder, cluster.spec.name, cluster.scheduler, tell) as begun:
        return begun.cancel()


def mpi_job_of(outcome: JobOutcome) -> str | None:
    """Return what Kubernetes calls the MPIJob of a job, None where it was none."""
    request = outcome.job.request or {}
    return run_name(request["metadata"]["name"], outcome.number) if request.get("kind") == "MPIJob" else None


def results_of(name: str) -> Path:
    """Return the results folder of a cluster, where none is named."""
    return Path("bench-results") / name


def _python_of(scheduler: Scheduler) -> str:
    return sys.executable if isinstance(scheduler, OnSlurm) and scheduler.head.is_here else "python3"


def _job_result(outcome: JobOutcome) -> JobResult:
    if outcome.file is None:
        return JobResult(outcome, unreadable="it has written nothing that could be fetched")
    if outcome.job.measures == "gpus":
        return JobResult(outcome, gpus=check_gpus(outcome.file.read_text("utf-8", "replace"), outcome.job.gpus))
    try:
        return JobResult(outcome, judged=tuple(_judged(outcome.job, outcome.file)))
    except InputError as error:
        return JobResult(outcome, unreadable=f"{error.problem}; its output ends with: {_last_line(outcome.file)}")


def _is_fine(judgement: Judgement) -> bool:
    run = judgement.case.run
    held_against_nothing = run.on_cpus or run.ranks == 1
    return judgement.verdict == "healthy" or (held_against_nothing and judgement.verdict == "unknown")


def _last_line(file: Path) -> str:
    """Return the last line that says anything, shortened."""
    with file.open("rb") as stream:
        stream.seek(max(file.stat().st_size - _TAIL_BYTES, 0))
        lines = stream.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nothing")[:_MOST_LETTERS]


def _judged(job: PlannedJob, file: Path) -> Sequence[FileJudgement]:
    """Return the verdicts on a job's output. What ran on CPUs is not held against the GPUs of the spec."""
    type_ = None if job.measures == "cpu-sweep" else job.instance_type
    return list(judge_files((str(file),), instance_type=type_, nodes=job.nodes))
