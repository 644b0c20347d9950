"""Which cluster and which jobs are meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple, cast

from trainyard.bench.submission.job import Job
from trainyard.bench.submission.plan_jobs import planned_jobs
from trainyard.bench.submission.sweep import Backend, sweep_jobs
from trainyard.checking.spec_file import check_file
from trainyard.deploy.own_bucket import bucket_of_cluster
from trainyard.deploy.record import read_record
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import InputError, SpecError, TrainyardError
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

WITHOUT_SLURM = {"batch": "AWS Batch", "eks": "Amazon EKS"}
"""What runs the tests on other platforms."""


class Jobs(NamedTuple):
    """Which jobs are meant. Empty means all."""

    phases: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    container: bool = False
    """Whether nccl-tests runs in a container."""
    backend: str | None = None
    """A sweep of our own, in place of nccl-tests: tcp, gloo or nccl."""
    python: str | None = None
    """The interpreter on the nodes that such a sweep is run by."""


def chosen(spec: Spec, meant: Jobs, python: str) -> tuple[Job, ...]:
    """Return the jobs of a spec that are meant. Raises InputError where there are none, or one does not exist."""
    other = WITHOUT_SLURM.get(spec.platform)
    if other is not None and meant.backend is not None:
        problem = f"{spec.name} runs its tests on {other}, where --backend has no meaning"
        raise InputError(problem, where="--backend", hint="leave it out, which runs nccl-tests")
    if spec.platform == "eks" and "mpi-operator" not in spec.eks.operators:
        hint = "add mpi-operator to it, and deploy once more"
        raise InputError(f"{spec.name} has no MPI operator to run tests", where="eks.operators", hint=hint)
    if meant.backend is None:
        jobs = planned_jobs(spec, meant.phases, container=meant.container)
    else:
        jobs = sweep_jobs(spec, cast("Backend", meant.backend), python)
    if not jobs:
        hint = "`trainyard bench plan` lists the jobs"
        if other is None:
            hint += "; --backend tcp or gloo measures nodes without GPUs"
        raise InputError(f"there is no bandwidth test to run on {spec.name}", where="--phase", hint=hint)
    known = {job.id: job for job in jobs}
    unknown = [id_ for id_ in meant.ids if id_ not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, 3, 0) or list(known)[:3]
        raise InputError(f"there is no job {unknown[0]}", where="--only", hint=f"such as {', '.join(near)}")
    return tuple(known[id_] for id_ in known if not meant.ids or id_ in meant.ids)


def spec_of_file(file: str) -> Spec:
    """Return the spec in a file. Raises SpecError where it is none."""
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    return _cluster(checked.parsed.spec, file)


def spec_of_cluster(name: str, where: Account, bucket: str | None) -> Spec:
    """Return the spec of a cluster as it was deployed. Raises TrainyardError where nobody knows it."""
    place = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    record = read_record(where, place, name)
    if record is None:
        problem = f"there is no cluster {name} in {where.region}, or trainyard has not deployed it"
        hint = "check the name, --region and --profile, or name the bucket of its spec with --bucket"
        raise TrainyardError(problem, where=f"s3://{place}", hint=hint)
    return _cluster(parse(record.spec_text, name).spec, name)


def head_node_of(name: str, where: Account) -> SsmSlurm:
    """Return the head node of a cluster, by Systems Manager. Raises TrainyardError where none runs."""
    heads = [node for node in nodes(where, name) if node.role == "HeadNode"]
    running = [node for node in heads if node.state == "running"]
    if not running:
        states = ", ".join(f"{node.id} is {node.state}" for node in heads) or "there is none"
        hint = f"`trainyard status {name} --region {where.region}` says how the cluster is"
        raise TrainyardError(f"no head node of {name} runs: {states}", where=name, hint=hint)
    return SsmSlurm(where, running[0].id)


def _cluster(spec: Spec, where: str) -> Spec:
    if spec.is_environment:
        raise InputError("an environment has no nodes to measure", where=where, hint="name the spec of a cluster")
    return spec
