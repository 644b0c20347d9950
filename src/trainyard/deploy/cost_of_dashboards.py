"""What the dashboards in CloudWatch cost: ours, and the one that ParallelCluster makes beside them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.deploy.cost_line import Line, by_the_month
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.spec.cluster import Spec


def dashboard_lines(spec: Spec) -> Iterator[Line]:
    """Yield what they cost, as if none of the account were free.

    https://aws.amazon.com/cloudwatch/pricing/
    """
    if not wants_dashboards(spec):
        return
    count = len(dashboards_of(spec)) + 1
    price = prices.service("cloudwatch_dashboard_month", spec.region)
    basis = "one of them ParallelCluster's own; the first 3 of an account are free, with up to 50 metrics each"
    yield by_the_month("dashboards in CloudWatch", "dashboard", (count, count), price, basis)
