"""Bandwidth tests on AWS ParallelCluster: jobs of its Slurm, by way of the head node."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.ssh import SshSlurm
from trainyard.platforms.parallelcluster.head_node import head_node
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.sbatch import sbatch_text, scripts
from trainyard.spec.cluster import Spec
from trainyard.submission.job import PlannedJob
from trainyard.submission.on_slurm import OnSlurm


def has_mpi(spec: Spec) -> bool:  # noqa: ARG001  as of every platform
    """Return that MPI programs start on several nodes: the images of nodes have Open MPI."""
    return True


def job(job: BenchJob, spec: Spec) -> PlannedJob:
    """Return a planned job as Slurm takes it: its batch script, and what that calls."""
    script = f"{job.id}.sbatch"
    files = {**{name: content.decode() for name, content in scripts().items()}, script: sbatch_text(job, spec)}
    return PlannedJob(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, script, files
    )  # fmt: skip


def scheduler(spec: Spec, account: Account, *, ssh: str | None, keep: bool, kubectl: KubectlOf) -> OnSlurm:  # noqa: ARG001  nothing is kept, and there is no Kubernetes
    """Return the Slurm of a cluster, by ssh with a host, or by Systems Manager.

    Raises TrainyardError where no head node runs.
    """
    return OnSlurm(SshSlurm(ssh) if ssh is not None else head_node(spec.name, account))
