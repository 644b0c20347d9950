"""Training runs on AWS ParallelCluster: jobs of its Slurm, by way of the head node."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.ssh import SshSlurm
from trainyard.platforms.parallelcluster.head_node import head_node
from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler
from trainyard.training.run import Run
from trainyard.training.sbatch import slurm_files
from trainyard.training.slurm_job import RUNS_FOLDER, slurm_job


def files(run: Run, spec: Spec) -> dict[str, str]:
    """Return the batch script of a run, and what it calls.

    It asks for no expedited restarts: ParallelCluster refuses the SlurmctldParameters that allow them.
    """
    return slurm_files(run, spec)


def job(run: Run, spec: Spec, scheduler: Scheduler) -> PlannedJob:
    """Return the job for the Slurm that there is."""
    return slurm_job(run, spec, scheduler)


def scheduler(spec: Spec, account: Account, *, ssh: str | None, kubectl: KubectlOf) -> OnSlurm:  # noqa: ARG001  there is no Kubernetes
    """Return the Slurm of a cluster, by ssh with a host, or by Systems Manager.

    Raises TrainyardError where no head node runs.
    """
    return OnSlurm(SshSlurm(ssh) if ssh is not None else head_node(spec.name, account), RUNS_FOLDER)
