"""The dashboards in CloudWatch of a cluster that the real ParallelCluster makes in an emulated account."""

from __future__ import annotations

import pytest

from tests.monitoring.cloudwatch_clusters import metrics_in
from tests.rehearsal.account_copies import seeded_account
from tests.rehearsal.whole import SPEC, deployed, destroyed
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cloudwatch_dashboards import find_dashboard
from trainyard.rehearsal.rehearsal import inventory

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

NAMES = ["ParallelCluster-llm", "ParallelCluster-llm-Advanced", "ParallelCluster-llm-EFA"]
HEALTH_CHECK = SPEC.replace("    nodes: 2\n", "    nodes: 2\n    gpu_health_check: true\n")


def dashboards(account: Account) -> list[str]:
    found = [one.partition(": ")[2] for one in inventory(account) if one.startswith("CloudWatch dashboards: ")]
    return sorted(found)


def derived(account: Account) -> set[tuple[str, str, frozenset[str]]]:
    """Return the metrics that the filters of the cluster's log group make."""
    pages = account.client("logs").get_paginator("describe_metric_filters").paginate()
    made = [one for page in pages for one in page["metricFilters"] if one["logGroupName"].startswith("/aws/parallelc")]
    return {
        (told["metricNamespace"], told["metricName"], frozenset(told.get("dimensions", {})))
        for one in made
        for told in one["metricTransformations"]
    }


@pytest.mark.exhaustive
def test_a_deployment_makes_them_and_a_destruction_removes_them():
    with seeded_account(HEALTH_CHECK) as account:
        done = deployed(account, HEALTH_CHECK)
        assert [result.error for result in done.results if result.error] == []
        # Beside ours, ParallelCluster has its own.
        assert dashboards(account) == [*NAMES, "llm-us-east-2"]
        body = find_dashboard(account, NAMES[0])
        shown = {one for one in metrics_in(body["widgets"]) if one[0] == "ParallelCluster"}
        assert shown == derived(account)
        again = deployed(account, HEALTH_CHECK)
        assert [result.status for result in again.results if result.name == "cloudwatch-dashboards"] == ["unchanged"]
        assert destroyed(account, HEALTH_CHECK).ok
        assert dashboards(account) == []
