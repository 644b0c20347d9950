"""A CloudWatch dashboard."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::CloudWatch::Dashboard"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    return _put(aws, wanted, wanted.properties.get("DashboardName", wanted.name))


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write it anew."""
    return _put(aws, wanted, made.id)


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("cloudwatch").delete_dashboards(DashboardNames=[made.id])


def _put(aws: Aws, wanted: Wanted, name: str) -> Made:
    aws.client("cloudwatch").put_dashboard(DashboardName=name, DashboardBody=wanted.properties["DashboardBody"])
    return Made(name)
