"""A workspace of an emulated account is filled over HTTP: what is ours is brought up to date, all else is left."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.deploy.grafana_between import Between, between
from tests.rehearsal.account_copies import empty_account
from tests.specs import spec_of
from trainyard.deploy.steps.grafana import SERVICE_ACCOUNT, GrafanaStep, has_workspace
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.grafana import create_token, service_account
from trainyard.edge.grafana_api import GrafanaApi
from trainyard.errors import TrainyardError
from trainyard.monitoring.features import features_of
from trainyard.monitoring.grafana_data_source import with_data_source
from trainyard.monitoring.grafana_files import grafana_documents
from trainyard.monitoring.grafana_mark import with_mark
from trainyard.rehearsal.rehearsal import QuickClock, inventory

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

SPEC = spec_of("monitoring: {mode: amp+amg}")
DOCUMENTS = [
    with_data_source(grafana_document, "llm", 10) for grafana_document in grafana_documents(features_of(SPEC)).values()
]
EDITED = DOCUMENTS[0]["uid"]
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1/"
PATH = "/api/dashboards/uid/"
SAVE = ("POST", "/api/dashboards/db")


@pytest.fixture(scope="module")
def emulated() -> Iterator[Account]:
    """One account for all tests: starting it takes seconds."""
    with empty_account() as started:
        yield replace(started, clock=QuickClock())


@pytest.fixture
def seen_account(emulated: Account) -> Iterator[tuple[Account, Between]]:
    """The account, and what Grafana is asked there."""
    with between(emulated) as both:
        yield both


@pytest.fixture
def work(seen_account: tuple[Account, Between]) -> Work:
    """A deployment whose stacks are there, with a workspace of its own."""
    return made_work(seen_account[0])


@pytest.fixture
def seen(seen_account: tuple[Account, Between]) -> Between:
    """What Grafana is asked."""
    return seen_account[1]


def made_work(account: Account, version: str = "10.4") -> Work:
    workspace = account.client("grafana").create_workspace(
        accountAccessType="CURRENT_ACCOUNT", permissionType="CUSTOMER_MANAGED", authenticationProviders=["AWS_SSO"],
        workspaceName="llm", grafanaVersion=version,
    )["workspace"]  # fmt: skip
    outputs = {"ManagedGrafanaWorkspaceId": workspace["id"], "AMPPrometheusEndpoint": ENDPOINT}
    return Work(account, "llm", SPEC, "ml-bucket", outputs=outputs)


def asking(work: Work) -> GrafanaApi:
    """Return the Grafana, for somebody who works in it by hand."""
    workspace = work.outputs["ManagedGrafanaWorkspaceId"]
    admin = service_account(work.account, workspace, "somebody")
    host = f"{workspace}.grafana-workspace.us-east-2.amazonaws.com"
    key = create_token(work.account, workspace, admin).key
    return GrafanaApi(work.account.url_of(host), host, lambda: key, lambda _: None)


def there(work: Work, uid: str) -> Any:
    return asking(work).find(PATH + uid)


def save(work: Work, dashboard: dict[str, Any], folder: str = "trainyard") -> None:
    asking(work).ask(*SAVE, {"dashboard": dashboard, "folderUid": folder, "overwrite": True})


def edited(work: Work) -> None:
    """Change the query of a panel by hand, and save it as Grafana does."""
    dashboard = there(work, EDITED)["dashboard"]
    panel = next(panel for panel in dashboard["panels"] if panel.get("targets"))
    panel["targets"][0]["expr"] = "vector(42)"
    save(work, dashboard)


def tokens(work: Work) -> list[str]:
    of = f" of {work.outputs['ManagedGrafanaWorkspaceId']}"
    return [one for one in inventory(work.account) if one.startswith("Grafana tokens") and one.endswith(of)]


def test_an_empty_workspace_gets_data_source_folder_and_every_dashboard(work: Work):
    outcome = GrafanaStep().apply(work)
    assert (outcome.changed, outcome.detail) == (True, f"{len(DOCUMENTS)} dashboards made")
    for wanted in DOCUMENTS:
        found = there(work, wanted["uid"])
        assert found["meta"]["folderUid"] == "trainyard"
        assert {**found["dashboard"], "id": None} == {**with_mark(wanted), "id": None, "version": 1}
    source = asking(work).find("/api/datasources/uid/trainyard-llm")
    assert (source["url"], source["jsonData"]["sigV4Auth"]) == (ENDPOINT.rstrip("/"), True)
    logs = asking(work).find("/api/datasources/uid/trainyard-llm-logs")
    assert logs["type"] == "cloudwatch"
    assert logs["jsonData"] == {"authType": "ec2_iam_role", "defaultRegion": "us-east-2"}
    assert GrafanaStep().apply(work).changed is False


def test_a_cluster_without_logs_in_cloudwatch_gets_no_data_source_for_them(work: Work):
    GrafanaStep().apply(replace(work, spec=spec_of("monitoring: {mode: amp+amg, logs: false}")))
    assert asking(work).find("/api/datasources/uid/trainyard-llm-logs") is None


def test_the_token_is_gone_afterwards_and_the_service_account_is_the_same_next_time(work: Work):
    GrafanaStep().apply(work)
    assert tokens(work) == []
    client, workspace = work.account.client("grafana"), work.outputs["ManagedGrafanaWorkspaceId"]
    first = client.list_workspace_service_accounts(workspaceId=workspace)["serviceAccounts"]
    GrafanaStep().apply(work)
    assert client.list_workspace_service_accounts(workspaceId=workspace)["serviceAccounts"] == first
    assert [one["name"] for one in first] == [SERVICE_ACCOUNT]


def test_no_token_is_told_to_anybody(work: Work):
    events: list[Event] = []
    heard = replace(work, listener=events.append)
    GrafanaStep().apply(heard)
    edited(heard)
    GrafanaStep().apply(heard)
    assert events
    assert "glsa_" not in f"{events}{heard.findings}"


def test_a_second_deployment_changes_nothing(work: Work, seen: Between):
    GrafanaStep().apply(work)
    seen.asked.clear()
    outcome = GrafanaStep().apply(work)
    assert (outcome.changed, outcome.detail) == (False, f"{len(DOCUMENTS)} dashboards unchanged")
    assert seen.writes() == []


def test_a_dashboard_of_an_older_release_is_brought_up_to_date_where_it_is(work: Work):
    GrafanaStep().apply(work)
    older = with_mark({**copy.deepcopy(DOCUMENTS[0]), "title": "As it was"})
    asking(work).ask("POST", "/api/folders", {"uid": "mine", "title": "mine"})
    save(work, older, "mine")
    outcome = GrafanaStep().apply(work)
    assert outcome.detail == f"1 dashboard updated, {len(DOCUMENTS) - 1} dashboards unchanged"
    found = there(work, EDITED)
    assert (found["dashboard"]["title"], found["meta"]["folderUid"]) == (DOCUMENTS[0]["title"], "mine")


def test_what_somebody_has_edited_is_kept_and_the_difference_shown(work: Work):
    GrafanaStep().apply(work)
    edited(work)
    outcome = GrafanaStep().apply(work)
    assert not outcome.changed
    assert "1 dashboard kept" in outcome.detail
    (finding,) = work.findings
    assert (finding.id, finding.severity) == ("dashboard-edited", "warning")
    assert "is `vector(42)` instead of `" in finding.message
    assert "--overwrite-dashboards" in str(finding.remedy)
    assert "vector(42)" in str(there(work, EDITED))


def test_what_somebody_has_edited_is_written_anew_when_asked_to(work: Work):
    GrafanaStep().apply(work)
    edited(work)
    asked = replace(work, options=Options(overwrite_dashboards=True), findings=[])
    assert GrafanaStep().apply(asked).changed
    assert asked.findings == []
    assert "vector(42)" not in str(there(work, EDITED))


def test_what_somebody_has_deleted_is_made_again(work: Work):
    GrafanaStep().apply(work)
    asking(work).ask("DELETE", PATH + EDITED)
    assert "1 dashboard made" in GrafanaStep().apply(work).detail


def test_a_dashboard_that_is_ours_no_longer_goes_only_where_nobody_has_touched_it(work: Work):
    GrafanaStep().apply(work)
    old = with_mark({"uid": "trainyard-old", "title": "Old", "panels": []})
    save(work, old)
    save(work, {**with_mark({"uid": "trainyard-edited", "title": "Edited", "panels": []}), "title": "Mine now"})
    save(work, {"uid": "theirs", "title": "Theirs", "tags": ["trainyard"], "panels": []})
    outcome = GrafanaStep().apply(work)
    assert "1 dashboard removed" in outcome.detail
    assert "1 dashboard kept" in outcome.detail
    assert there(work, "trainyard-old") is None
    assert there(work, "trainyard-edited") is not None
    assert there(work, "theirs") is not None


def test_a_data_source_that_somebody_has_broken_is_mended_and_another_default_respected(work: Work, seen: Between):
    GrafanaStep().apply(work)
    path = "/api/datasources/uid/trainyard-llm"
    source = asking(work).find(path)
    asking(work).ask("PUT", path, {**source, "isDefault": False})
    seen.asked.clear()
    assert not GrafanaStep().apply(work).changed
    asking(work).ask("PUT", path, {**source, "jsonData": {**source["jsonData"], "sigV4Auth": False}})
    assert GrafanaStep().apply(work).changed
    assert asking(work).find(path)["jsonData"]["sigV4Auth"] is True


def test_a_token_that_ends_on_the_way_is_replaced(work: Work, seen: Between):
    client, workspace = work.account.client("grafana"), work.outputs["ManagedGrafanaWorkspaceId"]

    def end_tokens(*_: str) -> None:
        if len(seen.asked) == 6:
            admin = service_account(work.account, workspace, SERVICE_ACCOUNT)
            found = client.list_workspace_service_account_tokens(workspaceId=workspace, serviceAccountId=admin)
            for token in found["serviceAccountTokens"]:
                client.delete_workspace_service_account_token(
                    workspaceId=workspace, serviceAccountId=admin, tokenId=token["id"]
                )

    seen.answer = end_tokens
    assert GrafanaStep().apply(work).detail == f"{len(DOCUMENTS)} dashboards made"
    assert tokens(work) == []


def test_somebody_who_saves_at_the_same_time_is_not_written_over(work: Work, seen: Between):
    GrafanaStep().apply(work)
    save(work, with_mark({**copy.deepcopy(DOCUMENTS[0]), "title": "As it was"}))

    def save_first(method: str, path: str) -> None:
        if (method, path) == SAVE:
            seen.answer = lambda *_: None
            edited(work)

    seen.answer = save_first
    GrafanaStep().apply(work)
    assert "vector(42)" in str(there(work, EDITED))
    assert [finding.id for finding in work.findings] == ["dashboard-edited"]


@pytest.mark.parametrize(
    ("status", "words"),
    [(403, "role of admin"), (401, "neither the token nor a new one"), (412, "deploy again"), (500, "deploy again")],
)
def test_a_refusal_says_what_to_do_and_leaves_no_token(work: Work, seen: Between, status: int, words: str):
    seen.answer = lambda *both: (status, {"message": "no"}) if both == SAVE else None
    with pytest.raises(TrainyardError, match=f'refuses POST /api/dashboards/db: {status}, "no"') as error:
        GrafanaStep().apply(work)
    assert words in str(error.value.hint)
    assert "the cluster is not affected" in str(error.value.hint)
    assert tokens(work) == []
    seen.answer = lambda *_: None
    assert GrafanaStep().apply(work).detail == f"{len(DOCUMENTS)} dashboards made"


def test_an_answer_that_is_lost_on_the_way_is_no_trouble(work: Work, seen: Between):
    def lose_once(method: str, path: str) -> tuple[int, Any] | None:
        if method == "POST" and path not in lost:
            lost.append(path)
            again = asking(work)
            bodies = {
                "/api/datasources": {"uid": "trainyard-llm", "name": "trainyard-llm"},
                "/api/folders": {"uid": "trainyard", "title": "trainyard"},
            }
            if path in bodies:
                again.ask("POST", path, bodies[path])
            return 502, {}
        return None

    lost: list[str] = []
    seen.answer = lose_once
    assert GrafanaStep().apply(work).detail == f"{len(DOCUMENTS)} dashboards made"
    assert len(lost) == 3


def test_a_grafana_of_a_version_that_nobody_knows_is_left_alone(seen_account: tuple[Account, Between]):
    account, seen = seen_account
    with pytest.raises(TrainyardError, match=r"Grafana 99\.1 is none that trainyard knows: 9 to 13") as error:
        GrafanaStep().apply(made_work(account, "99.1"))
    assert "the cluster is not affected" in str(error.value.hint)
    assert seen.writes() == []


def test_a_grafana_of_version_12_asks_through_amazons_plugin(seen_account: tuple[Account, Between]):
    work = made_work(seen_account[0], "12.4")
    GrafanaStep().apply(work)
    assert "'grafana-amazonprometheus-datasource'" in str(there(work, EDITED))
    assert asking(work).find("/api/datasources/uid/trainyard-llm")["type"] == "grafana-amazonprometheus-datasource"
    assert not GrafanaStep().apply(work).changed


def test_a_workspace_that_is_gone_is_said_to_be(work: Work):
    work.account.client("grafana").delete_workspace(workspaceId=work.outputs["ManagedGrafanaWorkspaceId"])
    with pytest.raises(TrainyardError, match="is gone"):
        GrafanaStep().apply(work)


def test_without_the_outputs_of_the_stack_nothing_is_guessed(work: Work):
    with pytest.raises(TrainyardError, match="nothing says what ManagedGrafanaWorkspaceId is"):
        GrafanaStep().apply(replace(work, outputs={}))


def test_there_is_nothing_to_undo_where_no_stack_has_a_workspace(work: Work):
    assert GrafanaStep().undo(work).detail == "there is none"
    assert GrafanaStep().probe(work).state == "missing"


@pytest.mark.parametrize(
    ("part", "expected"),
    [("monitoring: {mode: amp+amg}", True), ("monitoring: {mode: amp-only}", False),
     ("environment: use2\nmonitoring: {mode: amp+amg}", False)],
)  # fmt: skip
def test_only_who_makes_the_workspace_fills_it(part: str, *, expected: bool):
    assert has_workspace(spec_of(part)) is expected
