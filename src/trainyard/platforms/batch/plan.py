"""What a plan says of a cluster of AWS Batch: Batch itself is free, what CloudWatch keeps of it is not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.deploy.plan.cost_line import CostLine, by_the_hour, by_the_month, compute_lines
from trainyard.deploy.plan.expected_time import PlannedStage, stage_of_parts
from trainyard.deploy.plan.immutable_fields import ImmutableField
from trainyard.spec.cluster import Spec


def cost_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield the nodes, the dashboards of the queues, and Container Insights of their compute environments.

    https://aws.amazon.com/batch/pricing/
    https://aws.amazon.com/cloudwatch/pricing/
    """
    yield from compute_lines(spec)
    queues = (len(spec.queues), len(spec.queues))
    if spec.monitoring.dashboard:
        price = prices.service("cloudwatch_dashboard_month", spec.region)
        basis = "one for each queue; the first 3 of an account are free, with up to 50 metrics each"
        yield by_the_month("dashboards in CloudWatch", "dashboard", queues, price, basis)
    if spec.batch.container_insights != "none":
        basis = "custom metrics, which follow how many nodes, jobs and containers there are"
        what = f"Container Insights, {spec.batch.container_insights}"
        yield by_the_hour(what, "compute environment", queues, None, basis)


def stages(spec: Spec) -> Iterator[PlannedStage]:
    """Yield the stack, of which compute environments take the longest."""
    del spec
    yield stage_of_parts("cluster", "the cluster's own stack", ("batch",))


def immutable_fields(spec: Spec) -> Iterator[ImmutableField]:
    """Yield nothing: CloudFormation changes queues and compute environments in place."""
    del spec
    yield from ()
