"""The cluster that jobs are submitted to: its spec, and what runs its jobs."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.checking.spec_file import check_file
from trainyard.deploy.record import read_record
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.errors import InputError, SpecError, TrainyardError
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import Scheduler


class JobCluster(NamedTuple):
    """Where jobs are submitted, and what the cluster is."""

    spec: Spec
    scheduler: Scheduler


def local_cluster(file: str) -> JobCluster:
    """Return the cluster of a spec, whose Slurm is on this machine.

    Raises SpecError where it is no spec, InputError where it is one of a cluster without Slurm.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = _with_nodes(checked.parsed.spec, file)
    if not platform_of(spec).has_slurm:
        hint = "give NAME and --region of the cluster"
        raise InputError(f"{spec.name} has no Slurm: its platform is {spec.platform}", where="--local", hint=hint)
    return JobCluster(spec, OnSlurm(LocalSlurm()))


def named_cluster(  # noqa: PLR0913  one for each option, and what a rehearsal gives
    name: str,
    where: Account,
    *,
    ssh: str | None = None,
    bucket: str | None = None,
    keep: bool = False,
    kubectl: KubectlOf = kubectl_of,
) -> JobCluster:
    """Return a deployed cluster: its AWS Batch, its EKS, or its Slurm by Systems Manager, or by ssh with a host.

    ``keep`` leaves the MPIJobs that came to their end in a cluster of EKS.
    Raises InputError for a host where there is no Slurm, and to keep what there is not; TrainyardError where there is
    no such cluster, or no head node that runs.
    """
    spec = deployed_spec(name, where, bucket)
    platform = platform_of(spec)
    if ssh is not None and not platform.has_head_node:
        problem = f"{name} is on {platform.title} and has no head node"
        raise InputError(problem, where="--ssh", hint="leave --ssh out")
    if keep and not platform.has_kubernetes:
        problem = f"{name} is not on Amazon EKS, and its jobs leave nothing behind"
        raise InputError(problem, where="--keep", hint="leave --keep out")
    return JobCluster(spec, platform.bench_submission().scheduler(spec, where, ssh=ssh, keep=keep, kubectl=kubectl))


def deployed_spec(name: str, where: Account, bucket: str | None) -> Spec:
    """Return the spec of a cluster as it was deployed. Raises TrainyardError where nobody knows it."""
    place = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    record = read_record(where, place, name)
    if record is None:
        problem = f"there is no cluster {name} in {where.region}, or trainyard has not deployed it"
        hint = "check the name, --region and --profile, or name the bucket of its spec with --bucket"
        raise TrainyardError(problem, where=f"s3://{place}", hint=hint)
    return _with_nodes(parse(record.spec_text, name).spec, name)


def _with_nodes(spec: Spec, where: str) -> Spec:
    if platform_of(spec).scheduler is None:
        raise InputError("an environment has no nodes to measure", where=where, hint="name the spec of a cluster")
    return spec
