"""The jobs of a spec that are submitted: those of `bench plan`, or a sweep of our own."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple, cast

from trainyard.bench.submission.job import Job
from trainyard.bench.submission.sweep import Backend, sweep_jobs
from trainyard.errors import InputError
from trainyard.platform_table import platform_of
from trainyard.render.bench.plan import jobs_for
from trainyard.spec.cluster import Spec


class JobSelection(NamedTuple):
    """Which jobs are meant. Empty means all."""

    phases: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    container: bool = False
    """Whether nccl-tests runs in a container."""
    backend: str | None = None
    """A sweep of our own, in place of nccl-tests: tcp, gloo or nccl."""
    python: str | None = None
    """The interpreter on the nodes that such a sweep is run by."""


def selected_jobs(spec: Spec, selection: JobSelection, python: str) -> tuple[Job, ...]:
    """Return the jobs of a spec that are meant. Raises InputError where there are none, or one does not exist."""
    platform = platform_of(spec)
    if selection.backend is not None and not platform.has_slurm:
        problem = f"{spec.name} runs its tests on {platform.title}, where --backend has no meaning"
        raise InputError(problem, where="--backend", hint="leave it out, which runs nccl-tests")
    if not platform.bench_submission().has_mpi(spec):
        hint = "add mpi-operator to it, and deploy once more"
        raise InputError(f"{spec.name} has no MPI operator to run tests", where="eks.operators", hint=hint)
    if selection.backend is None:
        jobs = planned_jobs(spec, selection.phases, container=selection.container)
    else:
        jobs = sweep_jobs(spec, cast("Backend", selection.backend), python)
    if not jobs:
        hint = "`trainyard bench plan` lists the jobs"
        if platform.has_slurm:
            hint += "; --backend tcp or gloo measures nodes without GPUs"
        raise InputError(f"there is no bandwidth test to run on {spec.name}", where="--phase", hint=hint)
    known = {job.id: job for job in jobs}
    unknown = [id_ for id_ in selection.ids if id_ not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, 3, 0) or list(known)[:3]
        raise InputError(f"there is no job {unknown[0]}", where="--only", hint=f"such as {', '.join(near)}")
    return tuple(known[id_] for id_ in known if not selection.ids or id_ in selection.ids)


def planned_jobs(spec: Spec, phases: tuple[int, ...] = (), *, container: bool = False) -> tuple[Job, ...]:
    """Return the jobs of `bench plan`, those of some phases where any are named; ``container`` runs them in one."""
    platform = platform_of(spec)
    planned = jobs_for(spec, container=container and platform.has_slurm)  # elsewhere everything is in one
    submission = platform.bench_submission()
    return tuple(submission.job(job, spec) for job in planned if not phases or job.phase in phases)
