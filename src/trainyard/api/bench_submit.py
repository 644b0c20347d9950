"""Running bandwidth tests on a cluster, and judging what they show."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trainyard.api.bench_judge import Judged, judge_files
from trainyard.bench.gpu_check import Checked, check_gpus
from trainyard.bench.submission.job_selection import (
    WITHOUT_SLURM,
    Jobs,
    chosen,
    head_node_of,
    spec_of_cluster,
    spec_of_file,
)
from trainyard.bench.submission.on_slurm import OnSlurm
from trainyard.bench.submission.submission import Outcome, submission
from trainyard.edge.aws.account import Clock
from trainyard.edge.kubernetes.kubectl import kubectl_of
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.edge.ssh import SshSlurm
from trainyard.errors import InputError
from trainyard.platforms.batch.bench_jobs import OnBatch
from trainyard.platforms.batch.rendering.names import job_queue
from trainyard.platforms.eks.bench_jobs import OnEks
from trainyard.render.bench.mpi_job import run_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from trainyard.bench.judge import Judgement
    from trainyard.bench.submission.job import Job
    from trainyard.bench.submission.scheduler import Scheduler
    from trainyard.edge.aws.account import Account
    from trainyard.edge.kubernetes.kubectl import Kubectl
    from trainyard.spec.cluster import Spec

_TAIL_BYTES, _MOST_LETTERS = 4096, 300

__all__ = ["Jobs", "OfJob", "Submitted", "cancel_jobs", "local_cluster", "mpi_job_of", "named_cluster", "submit_jobs"]


class Cluster(NamedTuple):
    """Where jobs are submitted, and what the cluster is."""

    spec: Spec
    scheduler: Scheduler


class OfJob(NamedTuple):
    """What has become of a job, and what its results say."""

    outcome: Outcome
    judged: tuple[Judged, ...] = ()
    gpus: Checked | None = None
    unreadable: str | None = None
    """Why nothing in its output can be judged."""

    @property
    def good(self) -> bool:
        """Return whether the job came to its end, and everything in it is healthy.

        What ran on CPUs, or on one GPU, is held against nothing, and good where nothing is wrong with it.
        """
        if not self.outcome.good or self.unreadable is not None:
            return False
        fine = [_is_fine(one.judgement) for one in self.judged]
        fine += [self.gpus.verdict == "healthy"] if self.gpus else []
        return bool(fine) and all(fine)


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission, as far as it has come."""

    cluster: str
    results: Path
    jobs: tuple[OfJob, ...] = field(default=())
    followed: bool = True
    platform: str = "parallelcluster"

    @property
    def good(self) -> bool:
        """Return whether every job is good; of jobs that nobody waited for, that they were submitted."""
        return not self.followed or all(one.good for one in self.jobs)


def local_cluster(file: str) -> Cluster:
    """Return the cluster of a spec, whose Slurm is on this machine.

    Raises SpecError where it is no spec, InputError where it is one of a cluster without Slurm.
    """
    spec = spec_of_file(file)
    if spec.platform != "parallelcluster":
        hint = "give NAME and --region of the cluster"
        raise InputError(f"{spec.name} has no Slurm: its platform is {spec.platform}", where="--local", hint=hint)
    return Cluster(spec, OnSlurm(LocalSlurm()))


def named_cluster(  # noqa: PLR0913  one for each option, and what a rehearsal gives
    name: str,
    where: Account,
    *,
    ssh: str | None = None,
    bucket: str | None = None,
    keep: bool = False,
    kubectl: Callable[[Account, str], AbstractContextManager[Kubectl]] = kubectl_of,
) -> Cluster:
    """Return a deployed cluster: its AWS Batch, its EKS, or its Slurm by Systems Manager, or by ssh with a host.

    ``keep`` leaves the MPIJobs that came to their end in a cluster of EKS.
    Raises InputError for a host where there is no Slurm, and to keep what there is not; TrainyardError where there is
    no such cluster, or no head node that runs.
    """
    spec = spec_of_cluster(name, where, bucket)
    if spec.platform != "parallelcluster" and ssh is not None:
        problem = f"{name} is on {WITHOUT_SLURM[spec.platform]} and has no head node"
        raise InputError(problem, where="--ssh", hint="leave --ssh out")
    if spec.platform != "eks" and keep:
        problem = f"{name} is not on Amazon EKS, and its jobs leave nothing behind"
        raise InputError(problem, where="--keep", hint="leave --keep out")
    if spec.platform == "eks":
        return Cluster(spec, OnEks(where, spec.name, keep, kubectl))
    if spec.platform == "batch":
        return Cluster(spec, OnBatch(where, [job_queue(spec, queue.name) for queue in spec.queues]))
    return Cluster(spec, OnSlurm(SshSlurm(ssh) if ssh is not None else head_node_of(name, where)))


def submit_jobs(  # noqa: PLR0913  one for each option
    cluster: Cluster,
    jobs: Jobs,
    *,
    results: Path | None = None,
    wait: bool = True,
    within_s: float | None = None,
    clock: Clock | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Submitted:
    """Submit the jobs, follow them, fetch what they wrote and judge it.

    What a call before this one has submitted to the same folder is not submitted again, unless it has failed.
    Raises InputError where a job is meant that there is not, TrainyardError where the scheduler or the way there fails.
    """
    scheduler, spec = cluster.scheduler, cluster.spec
    meant = chosen(spec, jobs, jobs.python or _python_of(scheduler))
    folder = results or results_of(spec.name)
    with submission(folder, spec.name, scheduler, tell) as begun:
        if wait:
            begun.run(meant, clock or Clock(), within_s)
        else:
            begun.leave(meant)
        found = tuple(_of_job(one) if wait else OfJob(one) for one in begun.outcomes(meant))
        if wait:
            begun.told(meant)
    return Submitted(spec.name, folder, found, wait, spec.platform)


def cancel_jobs(
    cluster: Cluster, *, results: Path | None = None, tell: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Take back all jobs of a results folder that have not ended, and return which these were."""
    folder = results or results_of(cluster.spec.name)
    if not folder.is_dir():
        problem, hint = f"there is no folder {folder}", "name the one that the jobs were submitted with, by --results"
        raise InputError(problem, where=str(folder), hint=hint)
    with submission(folder, cluster.spec.name, cluster.scheduler, tell) as begun:
        return begun.cancel()


def mpi_job_of(outcome: Outcome) -> str | None:
    """Return what Kubernetes calls the MPIJob of a job, None where it was none."""
    request = outcome.job.request or {}
    return run_name(request["metadata"]["name"], outcome.number) if request.get("kind") == "MPIJob" else None


def results_of(name: str) -> Path:
    """Return the results folder of a cluster, where none is named."""
    return Path("bench-results") / name


def _python_of(scheduler: Scheduler) -> str:
    return sys.executable if isinstance(scheduler, OnSlurm) and scheduler.head.is_here else "python3"


def _of_job(outcome: Outcome) -> OfJob:
    if outcome.file is None:
        return OfJob(outcome, unreadable="it has written nothing that could be fetched")
    if outcome.job.measures == "gpus":
        return OfJob(outcome, gpus=check_gpus(outcome.file.read_text("utf-8", "replace"), outcome.job.gpus))
    try:
        return OfJob(outcome, judged=tuple(_judged(outcome.job, outcome.file)))
    except InputError as error:
        return OfJob(outcome, unreadable=f"{error.problem}; its output ends with: {_last_line(outcome.file)}")


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


def _judged(job: Job, file: Path) -> Sequence[Judged]:
    """Return the verdicts on a job's output. What ran on CPUs is not held against the GPUs of the spec."""
    type_ = None if job.measures == "cpu-sweep" else job.instance_type
    return list(judge_files((str(file),), instance_type=type_, nodes=job.nodes))
