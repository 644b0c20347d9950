"""What a cluster of AWS Batch costs besides its nodes: Batch itself is free, what CloudWatch keeps of it is not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.deploy.cost_line import Line, by_the_hour, by_the_month
from trainyard.platforms.batch.rendering.parameters import needs_batch
from trainyard.spec.cluster import Spec


def batch_lines(spec: Spec) -> Iterator[Line]:
    """Yield the dashboards of the queues, and Container Insights of their compute environments.

    https://aws.amazon.com/batch/pricing/
    https://aws.amazon.com/cloudwatch/pricing/
    """
    if not needs_batch(spec):
        return
    queues = (len(spec.queues), len(spec.queues))
    if spec.monitoring.dashboard:
        price = prices.service("cloudwatch_dashboard_month", spec.region)
        basis = "one for each queue; the first 3 of an account are free, with up to 50 metrics each"
        yield by_the_month("dashboards in CloudWatch", "dashboard", queues, price, basis)
    if spec.batch.container_insights != "none":
        basis = "custom metrics, which follow how many nodes, jobs and containers there are"
        what = f"Container Insights, {spec.batch.container_insights}"
        yield by_the_hour(what, "compute environment", queues, None, basis)
