"""Whether Amazon Managed Grafana has the dashboards and the data source, as trainyard put them there.

Only a token of its own lets anybody look: it is made for this, ends by itself after minutes, and is deleted before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trainyard.deploy.release_notice import kinds as kinds_of_deployment
from trainyard.deploy.steps.grafana import SERVICE_ACCOUNT
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.grafana import (
    Token,
    Workspace,
    create_token,
    delete_token,
    find_service_account,
    find_workspace,
)
from trainyard.edge.grafana_api import GrafanaApi
from trainyard.finding import Finding
from trainyard.finding_kinds import finding_of
from trainyard.monitoring.features import features_of
from trainyard.monitoring.grafana_data_source import data_source_uid
from trainyard.monitoring.grafana_files import grafana_documents
from trainyard.monitoring.grafana_mark import fingerprint, mark
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


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
        uid = data_source_uid(situation.spec.environment or situation.spec.name)
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

    try:
        yield GrafanaApi(account.url_of(workspace.host), workspace.host, token, account.clock.sleep)
    finally:
        for used_token in tokens:
            delete_token(account, workspace.id, of, used_token)
