"""What Amazon Managed Grafana shows: data sources, a folder and the dashboards, put there through its own API.

CloudFormation has no resource for any of it: https://github.com/aws/amazon-managed-grafana-roadmap/issues/59
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from trainyard.deploy.grafana_dashboards import write_dashboards
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.errors import cleaned_up
from trainyard.edge.aws.grafana import (
    Token,
    active_workspace,
    create_token,
    delete_service_account,
    delete_token,
    find_service_account,
    find_workspace,
    service_account,
)
from trainyard.edge.aws.stacks import find_stack
from trainyard.edge.grafana_api import GrafanaApi, GrafanaRefusalError
from trainyard.errors import TrainyardError
from trainyard.monitoring.features import LOG_NEEDS, features_of
from trainyard.monitoring.grafana_data_source import data_source, log_source, with_data_source
from trainyard.monitoring.grafana_files import grafana_documents
from trainyard.render.cloudformation.monitoring import needs_monitoring
from trainyard.spec.cluster import Spec

SERVICE_ACCOUNT = "trainyard"
FOLDER = "trainyard"
_OUTPUT = "ManagedGrafanaWorkspaceId"
# Service accounts are there from 9 on, and the paths of this API up to 13, the newest that AWS has.
# https://docs.aws.amazon.com/grafana/latest/userguide/service-accounts.html
# https://docs.aws.amazon.com/grafana/latest/userguide/using-grafana-v13.html
_KNOWN_VERSIONS = range(9, 14)
_CONFLICT = 409
_PLACE = "/api/datasources"


class GrafanaStep:
    """Fills the workspace of the monitoring stack. What somebody has edited there is kept, and said."""

    name = "grafana"
    title = "dashboards in Amazon Managed Grafana"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a workspace; what is in it, only a token would tell."""
        workspace = _workspace_of(work)
        described = find_workspace(work.account, workspace) if workspace else None
        return Probe("there" if described and described.status == "ACTIVE" else "missing", workspace or "")

    def apply(self, work: Work) -> StepOutcome:
        """Write what is missing, and what is ours and out of date."""
        workspace = work.outputs.get(_OUTPUT)
        if workspace is None:
            raise TrainyardError(
                f"nothing says what {_OUTPUT} is", where=f"{work.name}-monitoring", hint="deploy the stack anew"
            )
        with _opened(work, workspace) as grafana:
            major = _known_version(grafana)
            changed = [_write_data_source(work, grafana, source) for source in _sources(work, major)]
            _make_folder(grafana)
            written = write_dashboards(work, grafana, FOLDER, _documents(work, major))
        return StepOutcome(changed=any(changed) or written.changed, detail=written.detail)

    def undo(self, work: Work) -> StepOutcome:
        """Remove the service account. All else goes with the workspace, and that with its stack."""
        workspace = _workspace_of(work)
        if workspace is None or find_workspace(work.account, workspace) is None:
            return StepOutcome(changed=False, detail="there is none")
        account = find_service_account(work.account, workspace, SERVICE_ACCOUNT)
        if account is None:
            return StepOutcome(changed=False, detail="no service account is left")
        delete_service_account(work.account, workspace, account)
        return StepOutcome(changed=True, detail=f"service account of {workspace} deleted")


def has_workspace(spec: Spec) -> bool:
    """Return whether a deployment of this spec makes a workspace. That of an environment is the environment's."""
    return spec.monitoring.mode == "amp+amg" and needs_monitoring(spec)


def _workspace_of(work: Work) -> str | None:
    """Return the workspace that the stack of the monitoring has made, if it has."""
    stack_state = find_stack(work.account, f"{work.name}-monitoring")
    return None if stack_state is None or not work.owns(stack_state.tags) else stack_state.outputs.get(_OUTPUT)


def _documents(work: Work, major: int) -> list[dict[str, Any]]:
    """Return the dashboards that the cluster can fill; of an environment all, as any cluster may come to use it."""
    documents = grafana_documents(features_of(work.required_spec())).values()
    return [with_data_source(document, work.name, major) for document in documents]


@contextmanager
def _opened(work: Work, workspace: str) -> Iterator[GrafanaApi]:
    """Hand out the Grafana of a workspace, with tokens that are gone afterwards."""
    described = active_workspace(work.account, workspace)
    admin = service_account(work.account, workspace, SERVICE_ACCOUNT)
    tokens: list[Token] = []

    def token() -> str:
        tokens.append(create_token(work.account, workspace, admin))
        return tokens[-1].key

    def close() -> None:
        for used_token in tokens:
            delete_token(work.account, workspace, admin, used_token)

    with cleaned_up(close):
        yield GrafanaApi(work.account.url_of(described.host), described.host, token, work.account.clock.sleep)


def _known_version(grafana: GrafanaApi) -> int:
    version = grafana.version()
    major = version.partition(".")[0]
    if not major.isdigit() or int(major) not in _KNOWN_VERSIONS:
        raise TrainyardError(
            f"Grafana {version} is none that trainyard knows: {_KNOWN_VERSIONS[0]} to {_KNOWN_VERSIONS[-1]}",
            where=grafana.host,
            hint="update the workspace or trainyard; the cluster is not affected",
        )
    return int(major)


def _sources(work: Work, major: int) -> list[dict[str, Any]]:
    """Return the data sources: of the metrics, and of the logs where CloudWatch has any that dashboards show."""
    region = work.account.region
    metrics = data_source(work.name, work.outputs["AMPPrometheusEndpoint"], region, major)
    has = features_of(work.required_spec())
    return [metrics, *([] if has.isdisjoint(LOG_NEEDS) else [log_source(work.name, region)])]


def _write_data_source(work: Work, grafana: GrafanaApi, source: dict[str, Any]) -> bool:
    """Bring a data source about, and return whether anything changed."""
    path = f"{_PLACE}/uid/{source['uid']}"
    existing = grafana.find(path)
    if existing is None:
        try:
            grafana.ask("POST", _PLACE, source)
        except GrafanaRefusalError as error:
            # An answer that was lost on the way: the first attempt has made it.
            if error.status != _CONFLICT or grafana.find(path) is None:
                raise
    elif _is_so(existing, source):
        return False
    else:
        grafana.ask("PUT", path, source)
    work.tell(f"data source {source['name']} asks {source.get('url', 'CloudWatch Logs')}")
    return True


def _is_so(existing: dict[str, Any], source: dict[str, Any]) -> bool:
    """Return whether all that is wanted is there; whatever else somebody has set may stay."""
    # Another data source may be the default: that is for people to choose.
    settings = {key: value for key, value in source.items() if key not in ("jsonData", "isDefault")}
    json_data = existing.get("jsonData") or {}
    return all(existing.get(key) == value for key, value in settings.items()) and all(
        json_data.get(key) == value for key, value in source["jsonData"].items()
    )


def _make_folder(grafana: GrafanaApi) -> None:
    if grafana.find(f"/api/folders/{FOLDER}") is not None:
        return
    try:
        grafana.ask("POST", "/api/folders", {"uid": FOLDER, "title": FOLDER})
    except GrafanaRefusalError as error:
        if error.status != _CONFLICT or grafana.find(f"/api/folders/{FOLDER}") is None:
            raise
