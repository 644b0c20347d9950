"""The steps of a cluster of ParallelCluster, and the program that all of them may need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.requirements.secrets import named_secrets
from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.steps.assets import Mirror
from trainyard.deploy.steps.cloudwatch_dashboards import CloudWatchDashboards
from trainyard.deploy.steps.infrastructure import grafana_steps, instance_steps, stack_steps, steps_before_stacks
from trainyard.deploy.steps.key_pair import KeyPair
from trainyard.deploy.steps.release import ReleaseStep
from trainyard.deploy.work import Work
from trainyard.monitoring.cloudwatch_body import wants_dashboards
from trainyard.platforms.parallelcluster.deployment.changes import Changes
from trainyard.platforms.parallelcluster.deployment.cluster import ClusterStep
from trainyard.platforms.parallelcluster.deployment.programs import ParallelClusters
from trainyard.platforms.parallelcluster.deployment.running_jobs import jobs_of_cluster
from trainyard.platforms.parallelcluster.deployment.static_nodes import StaticNodes
from trainyard.spec.cluster import Spec


def steps_to_deploy(spec: Spec) -> list[DeploymentStep]:
    """Return them. The instance of the monitoring comes up while the cluster is made, so nobody waits for it twice."""
    # Of a cluster that is older than its spec, nothing is changed but what the spec changes.
    has_own = wants_dashboards(spec) and not spec.parallelcluster.adopted
    dashboards: list[DeploymentStep] = [CloudWatchDashboards()] if has_own else []
    return [
        Changes(),
        *steps_before_stacks(spec),
        *stack_steps(spec),
        Mirror(),
        ReleaseStep(),
        KeyPair(),
        ClusterStep(),
        StaticNodes(),
        *instance_steps(spec),
        *grafana_steps(spec),
        *dashboards,
    ]


def steps_to_destroy() -> list[DeploymentStep]:
    """Return the cluster, with which its nodes go."""
    return [ClusterStep()]


def endpoints(spec: Spec) -> Iterator[str]:
    """Yield what head node, login nodes and compute nodes ask.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html
    """
    yield from ("s3", "dynamodb", "cloudformation", "ec2")
    if spec.monitoring.logs:
        yield "logs"
    if any(True for _ in named_secrets(spec)):
        yield "secretsmanager"
    if spec.login_nodes is not None:
        yield from ("elasticloadbalancing", "autoscaling")


def permissions(spec: Spec) -> Iterator[str]:
    """Yield what pcluster does, and what the dashboards take."""
    yield "parallelcluster"
    if spec.login_nodes is not None:
        yield "login_nodes"
    if wants_dashboards(spec):
        yield "dashboards"
        if any(file_system.kind == "openzfs" for file_system in spec.file_systems):
            yield "dashboards-openzfs"


@contextmanager
def running_programs(work: Work) -> Iterator[None]:
    """Have ParallelCluster at hand. What is deployed needs it for certain, so it starts while the stacks are made."""
    if work.parallelcluster is not None:
        yield
        return
    with ParallelClusters(work.account, work.tell) as running:
        work.parallelcluster = running.of
        if work.spec is not None and not work.options.before_cluster:
            running.of(work.spec.parallelcluster.version)
        try:
            yield
        finally:
            work.parallelcluster = None


def refuse_undeletable(work: Work) -> None:
    """Refuse nothing: the program that deletes a cluster is installed where it is missing."""
    del work


def jobs_to_end(work: Work) -> RunningJobs:
    """Return the jobs of Slurm that are not over, as the head node tells them."""
    return jobs_of_cluster(work)
