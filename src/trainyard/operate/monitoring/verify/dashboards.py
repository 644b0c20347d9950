"""Dashboards: those in Grafana and in CloudWatch as they were put there, and their panels with data.

Only a token of its own lets anybody look into Grafana: it is made for this, ends by itself after minutes, and is
deleted before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from trainyard.deploy.release_notice import kinds as kinds_of_deployment
from trainyard.deploy.steps.grafana import SERVICE_ACCOUNT
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cloudwatch_dashboards import find_dashboard
from trainyard.edge.aws.errors import cleaned_up
from trainyard.edge.aws.grafana import (
    Token,
    Workspace,
    create_token,
    delete_token,
    find_service_account,
    find_workspace,
)
from trainyard.edge.grafana_api import GrafanaApi
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.cloudwatch_body import dashboards_of, wants_dashboards
from trainyard.monitoring.cloudwatch_dashboard import dashboard_name
from trainyard.monitoring.cloudwatch_mark import mark_of
from trainyard.monitoring.dashboard import VARIABLES, Dashboard, Panel, dashboards_for
from trainyard.monitoring.features import LOG_NEEDS, features_of
from trainyard.monitoring.grafana_data_source import data_source_uid, log_source_uid
from trainyard.monitoring.grafana_files import grafana_documents
from trainyard.monitoring.grafana_mark import fingerprint, mark
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import short_list
from trainyard.stop_request import results_of

_AT_ONCE = 8
# Of a rate: four scrapes, as Grafana has it.
# https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/#use-__rate_interval
_RATE_INTERVAL = "2m"
_RANGE = "1h"


def grafana(situation: Situation) -> Iterator[Finding]:
    """Yield a workspace that is not active, and, where tokens may be made, what is missing in it or edited."""
    account = situation.account
    id_ = None if account is None else account.outputs.get("ManagedGrafanaWorkspaceId")
    if account is None or id_ is None:
        return
    workspace = find_workspace(account.account, id_)
    if workspace is None or workspace.status != "ACTIVE":
        state = "gone" if workspace is None else workspace.status
        yield finding("grafana-not-active", f"Grafana workspace {id_} is {state}")
    elif situation.opens_grafana:
        yield from _inside(situation, account.account, workspace)


def _inside(situation: Situation, account: Account, workspace: Workspace) -> Iterator[Finding]:
    of = find_service_account(account, workspace.id, SERVICE_ACCOUNT)
    if of is None:
        message = f"nobody has ever put dashboards into Grafana workspace {workspace.id}"
        yield finding("dashboard-missing", message, path="monitoring.mode")
        return
    with _opened(account, workspace, of) as api:
        name = situation.spec.environment or situation.spec.name
        has_logs = not features_of(situation.spec).isdisjoint(LOG_NEEDS)
        for uid in (data_source_uid(name), *([log_source_uid(name)] if has_logs else [])):
            if api.find(f"/api/datasources/uid/{uid}") is None:
                yield finding("data-source-missing", f"Grafana workspace {workspace.id} has no data source {uid}")
        yield from _dashboards(situation, api)


def _dashboards(situation: Situation, api: GrafanaApi) -> Iterator[Finding]:
    for document in grafana_documents(features_of(situation.spec)).values():
        existing = api.find(f"/api/dashboards/uid/{document['uid']}")
        if existing is None:
            message = f"dashboard {document['title']} is not in Grafana"
            yield finding("dashboard-missing", message, path="monitoring.mode")
            continue
        situation.looked_at["dashboards"] += 1
        if fingerprint(existing["dashboard"]) != mark(existing["dashboard"]):
            message = f"dashboard {document['title']} was edited in Grafana and stays so"
            yield finding_of(kinds_of_deployment(), "dashboard-edited", message, severity="info")


@contextmanager
def _opened(account: Account, workspace: Workspace, of: str) -> Iterator[GrafanaApi]:
    """Hand out the Grafana of a workspace, with tokens that are gone afterwards."""
    tokens: list[Token] = []

    def token() -> str:
        tokens.append(create_token(account, workspace.id, of))
        return tokens[-1].key

    def close() -> None:
        for used_token in tokens:
            delete_token(account, workspace.id, of, used_token)

    with cleaned_up(close):
        yield GrafanaApi(account.url_of(workspace.host), workspace.host, token, account.clock.sleep)


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


class _PanelCheck(NamedTuple):
    """What became of a panel."""

    dashboard: Dashboard
    panel: Panel
    has_data: bool
    error: TrainyardError | None = None


def panels(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each dashboard with panels that are empty, and one for each query that fails."""
    pairs = [
        (dashboard, panel) for dashboard in dashboards_for(features_of(situation.spec)) for panel in dashboard.panels()
    ]
    situation.looked_at["panels"] += len(pairs)
    checks = list(results_of(lambda both: _panel_check(situation, *both), pairs, _AT_ONCE))
    empty: dict[str, list[str]] = {}
    for check in checks:
        if check.error is not None:
            message = f"panel {check.panel.title} of {check.dashboard.title} cannot be drawn: {check.error.problem}"
            yield finding("panel-query-failing", message, check.error.hint)
        elif not check.has_data and not check.panel.may_be_empty:
            empty.setdefault(check.dashboard.title, []).append(check.panel.title)
    for title, names in empty.items():
        yield finding("panel-empty", f"dashboard {title} has no data for {short_list(names)}")


def cluster_query(expr: str, name: str) -> str:
    """Return a query of a panel for one cluster, with all of its queues, nodes and jobs."""
    cluster = json.dumps(re.escape(name))[1:-1]
    values = {
        **dict.fromkeys(VARIABLES, ".*"),
        "cluster": cluster,
        "__rate_interval": _RATE_INTERVAL,
        "__range": _RANGE,
    }
    return re.sub(rf"\$({'|'.join(values)})\b", lambda match: values[match[1]], expr)


def _panel_check(situation: Situation, dashboard: Dashboard, panel: Panel) -> _PanelCheck:
    """Ask one query after the other until one has data: the others of a panel may rightly be silent."""
    try:
        has_data = any(situation.values(cluster_query(query.expr, situation.spec.name)) for query in panel.queries)
    except TrainyardError as error:
        return _PanelCheck(dashboard, panel, has_data=False, error=error)
    return _PanelCheck(dashboard, panel, has_data=has_data)
