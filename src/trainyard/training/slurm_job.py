"""A run as a job that is submitted to a Slurm, whichever version that is."""

from __future__ import annotations

from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler
from trainyard.training.job import planned
from trainyard.training.run import Run
from trainyard.training.sbatch import sbatch_name, slurm_files

RUNS_FOLDER = "trainyard-runs"
"""The folder of the home in which each submission has one of its own."""


def slurm_job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:
    """Return the job, with what only newer versions have where the Slurm that is asked is one."""
    version = scheduler.version() if isinstance(scheduler, OnSlurm) else None
    return planned(run, spec, script=sbatch_name(run), files=slurm_files(run, spec, version))
