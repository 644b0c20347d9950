"""Submissions to a cluster of EKS that goes through a script."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.texts import whole
from tests.platforms.eks.bench_jobs.scripted_operator import (
    ScriptedEks,
    pending,
    scripted_eks,
    starting,
    succeeded,
    under_way,
)
from trainyard.api.bench_submit import JobCluster, JobSelection, SubmissionResult, submit_jobs
from trainyard.platforms.eks.bench_jobs import OnEks
from trainyard.spec.parsing import parse

SPEC = """\
name: lab
region: us-east-2
platform: eks
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
queues:
  - {name: training, instance_type: p5.48xlarge, nodes: 2}
"""
TWO_NODES = "training-p2-all_reduce-2n"
ONE_NODE = "training-p1-all_reduce"
ONLY = JobSelection(ids=(TWO_NODES,))
PHASE_1 = JobSelection(phases=(1,))
TABLE = tuple(whole("[1,0]<stdout>:", log=True).decode().splitlines())
FIRST, SECOND, THIRD = TABLE[:10], TABLE[10:25], TABLE[25:]


@contextmanager
def measured_eks() -> Iterator[ScriptedEks]:
    """Give a cluster on which the test over two nodes waits, runs and is healthy."""
    with scripted_eks() as made:
        made.api.steps[TWO_NODES] = [
            pending(), starting(), under_way(*FIRST), under_way(*SECOND), under_way(), succeeded(*THIRD),
        ]  # fmt: skip
        yield made


def cluster(eks: ScriptedEks, *, keep: bool = False, spec: str = SPEC) -> JobCluster:
    """Return the cluster as it is submitted to."""
    return JobCluster(parse(spec, "cluster.yaml").spec, OnEks(eks.account, "lab", keep, eks.kubectl.of))


def submitted(
    eks: ScriptedEks, folder: Path, jobs: JobSelection = ONLY, *, keep: bool = False, **more: Any
) -> tuple[SubmissionResult, list[str]]:
    """Return what came of a call, and what it told."""
    told: list[str] = []
    clock = eks.account.clock
    found = submit_jobs(cluster(eks, keep=keep), jobs, results=folder, clock=clock, tell=told.append, **more)
    return found, told


def output(found: SubmissionResult) -> list[str]:
    """Return what the one job has written."""
    (one,) = found.jobs
    assert one.outcome.file is not None
    return one.outcome.file.read_text().splitlines()
