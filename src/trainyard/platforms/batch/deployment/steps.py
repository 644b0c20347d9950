"""The steps of a cluster of AWS Batch, which is one more stack: nothing is published for its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from trainyard.deploy.step import Step
from trainyard.deploy.steps.infrastructure import grafana_steps, stack_steps, steps_before_stacks
from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.work import Work
from trainyard.platforms.batch.deployment.changes import BatchChanges
from trainyard.platforms.batch.deployment.cluster import BatchStack, jobs_of_cluster
from trainyard.spec.cluster import Spec


def steps_to_deploy(spec: Spec) -> list[Step]:
    """Return them in order."""
    before = [BatchChanges(), *steps_before_stacks(spec), *stack_steps(spec)]
    return [*before, KeyPair(), BatchStack(), *grafana_steps(spec)]


def steps_to_destroy() -> list[Step]:
    """Return the cluster's own stack."""
    return [BatchStack()]


def endpoints(spec: Spec) -> Iterator[str]:
    """Yield what the agent of ECS on each node asks.

    https://docs.aws.amazon.com/AmazonECS/latest/developerguide/vpc-endpoints.html
    """
    yield from ("s3", "ecs", "ecs-agent", "ecs-telemetry", "ecr.api", "ecr.dkr", "logs")
    if any(file_system.kind in ("lustre", "openzfs") for file_system in spec.file_systems):
        yield "fsx"  # nodes ask it for the addresses of what they mount


def permissions(spec: Spec) -> Iterator[str]:
    """Yield what Batch and its registry take."""
    del spec
    yield "batch"


def running_programs(work: Work) -> AbstractContextManager[None]:
    """Start nothing: CloudFormation makes the cluster."""
    del work
    return nullcontext()


def refuse_undeletable(work: Work) -> None:
    """Refuse nothing: the step of the stack leaves that of somebody else."""
    del work


def jobs_to_end(work: Work) -> list[str]:
    """Return the jobs that are not over in the queues of the cluster."""
    return [str(job) for job in jobs_of_cluster(work)]
