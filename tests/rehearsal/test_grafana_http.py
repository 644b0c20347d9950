"""The emulated Grafana lets in whoever has a token that still holds, and refuses as the real one does."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.waiting import wait_until
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import code
from trainyard.edge.grafana_api import GrafanaApi, GrafanaRefusalError

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

DASHBOARD = {"uid": "one", "title": "One", "tags": ["a", "b"]}
SAVE = ("POST", "/api/dashboards/db")


class Workspace:
    """A workspace with a service account."""

    def __init__(self, account: Account, role: str = "ADMIN") -> None:
        self.account, self.client = account, account.client("grafana")
        self.id = self.client.create_workspace(
            accountAccessType="CURRENT_ACCOUNT", permissionType="CUSTOMER_MANAGED", authenticationProviders=["AWS_SSO"]
        )["workspace"]["id"]
        self.admin = self.client.create_workspace_service_account(workspaceId=self.id, name="a", grafanaRole=role)["id"]

    def token(self, seconds: int = 60, name: str = "t") -> str:
        made = self.client.create_workspace_service_account_token(
            workspaceId=self.id, serviceAccountId=self.admin, name=name, secondsToLive=seconds
        )
        return str(made["serviceAccountToken"]["key"])

    def api(self, key: str, workspace: str = "") -> GrafanaApi:
        host = f"{workspace or self.id}.grafana-workspace.us-east-2.amazonaws.com"
        return GrafanaApi(self.account.url_of(host), host, lambda: key, lambda _: None)


@pytest.fixture
def workspace(account: Account) -> Workspace:
    return Workspace(account)


def refused(api: GrafanaApi, method: str = "GET", path: str = "/api/search", body: Any = None) -> int:
    with pytest.raises(GrafanaRefusalError) as error:
        api.ask(method, path, body)
    return error.value.status


def status_of(api: GrafanaApi) -> int:
    try:
        api.ask("GET", "/api/search")
    except GrafanaRefusalError as error:
        return error.status
    return 200


def test_without_a_token_only_the_health_is_told(workspace: Workspace):
    assert workspace.api("wrong").version() == "12.4"
    assert refused(workspace.api("wrong")) == 401


def test_a_token_ends_by_itself(workspace: Workspace):
    api = workspace.api(workspace.token(seconds=1))
    wait_until(lambda: status_of(api) == 401)


def test_a_token_of_one_workspace_is_none_of_another(account: Account, workspace: Workspace):
    other = Workspace(account)
    assert refused(other.api(workspace.token())) == 401


def test_a_viewer_may_not_write(account: Account):
    viewer = Workspace(account, role="VIEWER")
    assert refused(viewer.api(viewer.token()), *SAVE, {"dashboard": DASHBOARD}) == 403


def test_a_workspace_that_is_not_there_is_not_found(workspace: Workspace):
    assert refused(workspace.api(workspace.token(), "g-0000000000")) == 404


def test_a_dashboard_is_only_saved_over_the_version_that_was_read(workspace: Workspace):
    api = workspace.api(workspace.token())
    first = api.ask(*SAVE, {"dashboard": DASHBOARD})
    assert (first["version"], first["status"]) == (1, "success")
    assert refused(api, *SAVE, {"dashboard": DASHBOARD}) == 412
    assert api.ask(*SAVE, {"dashboard": {**DASHBOARD, "version": 1}})["version"] == 2
    assert api.ask(*SAVE, {"dashboard": DASHBOARD, "overwrite": True})["version"] == 3


def test_dashboards_are_found_by_all_of_the_tags(workspace: Workspace):
    api = workspace.api(workspace.token())
    api.ask(*SAVE, {"dashboard": DASHBOARD})
    assert [one["uid"] for one in api.ask("GET", "/api/search?tag=a&tag=b")] == ["one"]
    assert api.ask("GET", "/api/search?tag=a&tag=c") == []


@pytest.mark.parametrize("path", ["/api/folders", "/api/datasources"])
def test_a_name_is_taken_once(workspace: Workspace, path: str):
    api = workspace.api(workspace.token())
    body = {"uid": "one", "title": "One", "name": "One"}
    api.ask("POST", path, body)
    assert refused(api, "POST", path, {**body, "uid": "two"}) == 409


def test_a_dashboard_goes_into_no_folder_that_is_not_there(workspace: Workspace):
    api = workspace.api(workspace.token())
    assert refused(api, *SAVE, {"dashboard": DASHBOARD, "folderUid": "nowhere"}) == 400


def test_a_token_lives_thirty_days_at_most(workspace: Workspace):
    with pytest.raises(ClientError) as error:
        workspace.token(30 * 24 * 3600 + 1)
    assert code(error.value) == "ValidationException"


def test_a_service_account_and_a_token_have_names_of_their_own(workspace: Workspace):
    workspace.token()
    with pytest.raises(ClientError) as error:
        workspace.token()
    assert code(error.value) == "ConflictException"
    with pytest.raises(ClientError) as error:
        workspace.client.create_workspace_service_account(workspaceId=workspace.id, name="a", grafanaRole="ADMIN")
    assert code(error.value) == "ConflictException"


def test_the_tokens_of_a_service_account_go_with_it(workspace: Workspace):
    api = workspace.api(workspace.token())
    workspace.client.delete_workspace_service_account(workspaceId=workspace.id, serviceAccountId=workspace.admin)
    assert refused(api) == 401
