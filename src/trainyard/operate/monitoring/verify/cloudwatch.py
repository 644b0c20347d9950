"""Whether the cluster's dashboards in CloudWatch are there, and still what trainyard made."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.release_notice import kinds as kinds_of_deployment
from trainyard.edge.aws.cloudwatch_dashboards import find_dashboard
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.monitoring.cloudwatch_dashboard import dashboard_name
from trainyard.monitoring.cloudwatch_mark import mark_of
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


def cloudwatch(situation: Situation) -> Iterator[Finding]:
    """Yield those that are missing, and those that somebody has edited, which stay so."""
    account = situation.account
    if account is None or not wants_dashboards(situation.spec):
        return
    for dashboard in dashboards_of(situation.spec):
        name = dashboard_name(situation.spec.name, dashboard)
        body = find_dashboard(account.account, name)
        mark = mark_of(body)
        if body is None:
            yield finding("dashboard-missing", f"dashboard {name} is not in CloudWatch", path="monitoring.dashboard")
        elif mark is not None and not mark.intact:
            message = f"dashboard {name} in CloudWatch was edited by hand and stays so"
            yield finding_of(kinds_of_deployment(), "dashboard-edited", message, severity="info")
        situation.looked_at["dashboards"] += body is not None
