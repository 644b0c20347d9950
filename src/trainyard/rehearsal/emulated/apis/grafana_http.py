"""The Grafana of a workspace, as far as its HTTP API keeps data sources, folders and dashboards. It draws nothing.

https://grafana.com/docs/grafana/v10.4/developers/http_api/
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

from trainyard.rehearsal.emulated.actions import wrap
from trainyard.rehearsal.emulated.apis.grafana import GrafanaResponse, known_workspace
from trainyard.rehearsal.emulated.apis.grafana_service_accounts import role_of

Answer = tuple[int, Any]

HOST = re.compile(r"(g-[0-9a-f]{10})\.grafana-workspace\.[a-z0-9-]+\.amazonaws\.com(:[0-9]+)?")
"""Hosts that are answered here, whatever the signature of the call."""
NAME = "grafana-workspace"
"""What its calls are counted as."""
_STATUS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict"}
_CHANGED = {"message": "The dashboard has been changed by someone else", "status": "version-mismatch"}


@dataclass
class _WorkspaceContents:
    """What one workspace keeps."""

    data_sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    folders: dict[str, dict[str, Any]] = field(default_factory=dict)
    dashboards: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By uid: the dashboard itself, and the uid of its folder."""
    made: int = 0

    def number(self) -> int:
        """Return a number that nothing has yet."""
        self.made += 1
        return self.made


_KEPT: dict[str, _WorkspaceContents] = {}


@dataclass(frozen=True)
class _Call:
    """A request of somebody who may make it."""

    kept: _WorkspaceContents
    workspace: dict[str, Any]
    name: str
    """The end of the path: the uid that the request is about."""
    query: dict[str, list[str]]
    body: dict[str, Any]


def install() -> None:
    """Let what a workspace keeps go with it."""
    wrap(GrafanaResponse, "delete_workspace", _delete_workspace)


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return what was put into the workspaces."""
    del account_id, region  # an emulated account has one of each
    return {
        "Grafana data sources": [
            f"{uid} of {name}" for name, contents in _KEPT.items() for uid in contents.data_sources
        ],
        "Grafana folders": [f"{uid} of {name}" for name, contents in _KEPT.items() for uid in contents.folders],
        "Grafana dashboards": [f"{uid} of {name}" for name, contents in _KEPT.items() for uid in contents.dashboards],
    }


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    """Answer a request to a workspace's own address."""
    status, content = _answer(environ)
    headers = [("Content-Type", "application/json; charset=UTF-8")]
    start_response(f"{status} {_STATUS.get(status, 'Precondition Failed')}", headers)
    return [json.dumps(content).encode()]


def _answer(environ: dict[str, Any]) -> Answer:
    matched = HOST.fullmatch(str(environ.get("HTTP_HOST", "")))
    workspace = known_workspace(matched[1]) if matched else None
    if workspace is None:
        return 404, {"message": "Not found"}
    method, path = str(environ["REQUEST_METHOD"]), unquote(str(environ["PATH_INFO"]))
    if (method, path) == ("GET", "/api/health"):
        return 200, {"commit": "emulated", "database": "ok", "version": workspace["grafanaVersion"]}
    scheme, _, key = str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")
    role = role_of(workspace["id"], key) if scheme == "Bearer" else None
    if role is None:
        return 401, {"message": "Invalid API key"}
    if role != "ADMIN":
        return 403, {"message": "You'll need additional permissions to perform this action."}
    return _routed(method, path, environ, workspace)


def _routed(method: str, path: str, environ: dict[str, Any], workspace: dict[str, Any]) -> Answer:
    text = environ["wsgi.input"].read()
    try:
        body = json.loads(text) if text else {}
    except ValueError:
        return 400, {"message": "bad request data"}
    query, contents = (
        parse_qs(str(environ.get("QUERY_STRING", ""))),
        _KEPT.setdefault(workspace["id"], _WorkspaceContents()),
    )
    for (route_method, pattern), action in _ROUTES.items():
        if route_method == method and (match := re.fullmatch(pattern, path)):
            return action(_Call(contents, workspace, match[1] if match.groups() else "", query, body))
    return 404, {"message": "Not found"}


def _get_data_source(call: _Call) -> Answer:
    source = call.kept.data_sources.get(call.name)
    return (200, source) if source else (404, {"message": "Data source not found"})


def _add_data_source(call: _Call) -> Answer:
    uid, name = call.body.get("uid", ""), call.body.get("name", "")
    if any(source["uid"] == uid or source["name"] == name for source in call.kept.data_sources.values()):
        return 409, {"message": "data source with the same name already exists"}
    source = {"id": call.kept.number(), "version": 1, **call.body}
    call.kept.data_sources[uid] = source
    return 200, {"datasource": source, "id": source["id"], "message": "Datasource added", "name": name}


def _put_data_source(call: _Call) -> Answer:
    if (former := call.kept.data_sources.get(call.name)) is None:
        return 404, {"message": "Data source not found"}
    call.kept.data_sources[call.name] = {**call.body, "id": former["id"], "version": former["version"] + 1}
    return 200, {"message": "Datasource updated"}


def _get_folder(call: _Call) -> Answer:
    folder = call.kept.folders.get(call.name)
    return (200, folder) if folder else (404, {"message": "folder not found", "status": "not-found"})


def _add_folder(call: _Call) -> Answer:
    uid, title = call.body.get("uid", ""), call.body.get("title", "")
    if uid in call.kept.folders or any(folder["title"] == title for folder in call.kept.folders.values()):
        return 409, {"message": "a folder with the same name already exists in the current location"}
    call.kept.folders[uid] = {"id": call.kept.number(), "uid": uid, "title": title, "version": 1}
    return 200, call.kept.folders[uid]


def _get_dashboard(call: _Call) -> Answer:
    dashboard = call.kept.dashboards.get(call.name)
    if dashboard is None:
        return 404, {"message": "Dashboard not found"}
    version, folder = dashboard["dashboard"]["version"], dashboard["folderUid"]
    return 200, {"dashboard": dashboard["dashboard"], "meta": {"version": version, "folderUid": folder}}


def _save_dashboard(call: _Call) -> Answer:
    dashboard, folder = call.body["dashboard"], call.body.get("folderUid", "")
    if folder and folder not in call.kept.folders:
        return 400, {"message": "folder not found"}
    uid = dashboard.get("uid") or f"made-{call.kept.number()}"
    former = call.kept.dashboards.get(uid, {}).get("dashboard")
    if former and not call.body.get("overwrite") and dashboard.get("version") != former["version"]:
        return 412, _CHANGED
    version = former["version"] + 1 if former else 1
    number = former["id"] if former else call.kept.number()
    saved = {**dashboard, "id": number, "uid": uid, "version": version}
    call.kept.dashboards[uid] = {"dashboard": saved, "folderUid": folder}
    return 200, {"id": number, "uid": uid, "url": f"/d/{uid}", "status": "success", "version": version}


def _delete_dashboard(call: _Call) -> Answer:
    if call.kept.dashboards.pop(call.name, None) is None:
        return 404, {"message": "Dashboard not found"}
    return 200, {"title": call.name, "message": f"Dashboard {call.name} deleted"}


def _search(call: _Call) -> Answer:
    tags = set(call.query.get("tag", []))
    dashboards = [
        dashboard for dashboard in call.kept.dashboards.values() if tags <= set(dashboard["dashboard"].get("tags", []))
    ]
    return 200, [
        {"uid": dashboard["dashboard"]["uid"], "title": dashboard["dashboard"].get("title", ""), "type": "dash-db",
         "tags": dashboard["dashboard"].get("tags", []), "folderUid": dashboard["folderUid"]}
        for dashboard in dashboards
    ]  # fmt: skip


def _delete_workspace(former: Callable[..., str], self: Any) -> str:
    workspace, answer = self.workspace()["id"], former(self)
    _KEPT.pop(workspace, None)
    return answer


_ROUTES: dict[tuple[str, str], Callable[[_Call], Answer]] = {
    ("GET", r"/api/datasources/uid/([^/]+)"): _get_data_source,
    ("POST", r"/api/datasources"): _add_data_source,
    ("PUT", r"/api/datasources/uid/([^/]+)"): _put_data_source,
    ("GET", r"/api/folders/([^/]+)"): _get_folder,
    ("POST", r"/api/folders"): _add_folder,
    ("GET", r"/api/dashboards/uid/([^/]+)"): _get_dashboard,
    ("POST", r"/api/dashboards/db"): _save_dashboard,
    ("DELETE", r"/api/dashboards/uid/([^/]+)"): _delete_dashboard,
    ("GET", r"/api/search"): _search,
}
