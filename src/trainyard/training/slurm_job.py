"""A run as a job that is submitted to a Slurm, with what that one allows."""

from __future__ import annotations

from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler
from trainyard.training.job import planned
from trainyard.training.run import Run
from trainyard.training.sbatch import sbatch_name, slurm_files

# https://slurm.schedmd.com/slurm.conf.html#OPT_enable_expedited_requeue
_EXPEDITES = "enable_expedited_requeue"
RUNS_FOLDER = "trainyard-runs"
"""The folder of the home in which each submission has one of its own."""


def slurm_job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:
    """Return the job. Restarts are expedited where the Slurm that is asked allows it, which it has from 25.11."""
    expedites = isinstance(scheduler, OnSlurm) and _EXPEDITES in scheduler.configuration()
    return planned(run, spec, script=sbatch_name(run), files=slurm_files(run, spec, expedites=expedites))
