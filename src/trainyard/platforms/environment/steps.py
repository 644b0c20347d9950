"""The steps of an environment: its stacks, and what watches the clusters in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.steps.assets import Mirror
from trainyard.deploy.steps.infrastructure import grafana_steps, instance_steps, stack_steps
from trainyard.deploy.steps.release import ReleaseStep
from trainyard.deploy.work import Work
from trainyard.spec.cluster import Spec


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    """Return them in order. A release is published for the instance of the monitoring alone."""
    published: list[DeploymentStep] = [Mirror(), ReleaseStep()] if spec.has_monitoring_instance else []
    return [*stack_steps(spec), *published, *instance_steps(spec), *grafana_steps(spec)]


def steps_to_destroy() -> list[DeploymentStep]:
    """Return nothing besides the stacks that every destruction looks for."""
    return []


def endpoints(spec: Spec) -> Iterator[str]:
    """Yield nothing: there are no nodes."""
    del spec
    yield from ()


def permissions(spec: Spec) -> Iterator[str]:
    """Yield nothing: the stacks are the same everywhere."""
    del spec
    yield from ()


def running_programs(work: Work) -> AbstractContextManager[None]:
    """Start nothing: CloudFormation makes the stacks."""
    del work
    return nullcontext()


def refuse_undeletable(work: Work) -> None:
    """Refuse nothing: whether clusters use the environment, every destruction asks."""
    del work


def jobs_to_end(work: Work) -> RunningJobs:
    """Return nothing: there are no nodes for jobs."""
    del work
    return RunningJobs()
