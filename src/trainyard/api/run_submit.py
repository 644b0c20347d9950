"""Training runs on their clusters: submitted, watched and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from trainyard.api.cluster_reference import account_at, region_of_spec
from trainyard.api.run import CheckedRun, checked_run
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.errors import InputError
from trainyard.platform_parts import TrainingJobs
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.submission.cluster import deployed_spec
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler
from trainyard.training.run import Run
from trainyard.training.run_submission import (
    RunCluster,
    RunState,
    SubmittedRun,
    cancel_run,
    look_at_run,
    results_folder,
    submit_run,
    watch_run,
)
from trainyard.training.slurm_job import RUNS_FOLDER

__all__ = ["RunPlace", "RunState", "SubmittedRun", "cancel", "look", "run_place", "submit", "watch"]


class RunPlace(NamedTuple):
    """A run, and the cluster that it runs on."""

    checked: CheckedRun
    spec: Spec
    """As the cluster was deployed; of one on this machine, as its file says."""
    scheduler: Scheduler
    results: Path

    @property
    def run(self) -> Run:
        """Return the run."""
        return self.checked.file.run


def run_place(  # noqa: PLR0913  one for each option, and what a rehearsal gives
    file: str,
    *,
    local: bool = False,
    ssh: str | None = None,
    region: str | None = None,
    profile: str | None = None,
    bucket: str | None = None,
    results: Path | None = None,
    kubectl: KubectlOf = kubectl_of,
    now: datetime | None = None,
    account: Account | None = None,
) -> RunPlace:
    """Return a run and its cluster; ``local`` is the Slurm of this machine, such as that of a lab.

    Raises FindingsError where the run or its spec cannot be read; InputError where the cluster has no Slurm and one is
    meant; TrainyardError where there is no such cluster.
    """
    checked = checked_run(file, now or datetime.now(UTC))
    spec, folder = checked.file.spec, results or results_folder(checked.file.run)
    if local:
        if not platform_of(spec).has_slurm:
            problem = f"{spec.name} has no Slurm: its platform is {spec.platform}"
            raise InputError(problem, where="--local", hint="leave --local out")
        return RunPlace(checked, spec, OnSlurm(LocalSlurm(), RUNS_FOLDER), folder)
    if ssh is not None and not platform_of(spec).has_head_node:
        problem = f"{spec.name} is on {platform_of(spec).title} and has no head node"
        raise InputError(problem, where="--ssh", hint="leave --ssh out")
    where = account or account_at(region_of_spec(spec, str(checked.file.run.cluster), region), profile)
    deployed = deployed_spec(spec.name, where, bucket or spec.assets.bucket)
    scheduler = _jobs(deployed).scheduler(deployed, where, ssh=ssh, kubectl=kubectl)
    return RunPlace(checked, deployed, scheduler, folder)


def submit(place: RunPlace, tell: Callable[[str], None] = lambda _: None) -> SubmittedRun:
    """Submit a run, or say which job it is already.

    Raises InputError where it has come to its end, TrainyardError where its cluster cannot be reached or refuses it.
    """
    planned = _jobs(place.spec).job(place.run, place.spec, place.scheduler)
    return submit_run(planned, RunCluster(place.spec.name, place.scheduler), place.results, tell)


def cancel(place: RunPlace, tell: Callable[[str], None] = lambda _: None) -> list[str]:
    """Take a run back, and return the numbers of jobs that were under way."""
    return cancel_run(RunCluster(place.spec.name, place.scheduler), place.results, tell)


def look(place: RunPlace, tell: Callable[[str], None] = lambda _: None) -> RunState:
    """Return how a run is now."""
    return look_at_run(place.run, place.scheduler, place.results, tell)


def watch(
    place: RunPlace, clock: Clock | None = None, tell: Callable[[str], None] = lambda _: None
) -> Iterator[RunState]:
    """Yield how a run is, until it has ended."""
    return watch_run(place.run, place.scheduler, place.results, clock or Clock(), tell)


def _jobs(spec: Spec) -> TrainingJobs:
    part = platform_of(spec).training_jobs
    assert part is not None  # noqa: S101  read_run has refused environments
    return part()
