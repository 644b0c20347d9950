"""Amazon Managed Grafana, none of which moto has: workspaces, and who may use them.

Service accounts are in grafana_service_accounts.py, and what a workspace itself answers in grafana_http.py.

https://docs.aws.amazon.com/grafana/latest/APIReference/Welcome.html
"""

from __future__ import annotations

import json
import re
import secrets
import time
from typing import Any

from moto.core.exceptions import JsonRESTError
from moto.core.responses import BaseResponse

SIGNING_NAME = "grafana"
# The version that a workspace gets where none is asked for: the newest that API references name in full.
# https://docs.aws.amazon.com/grafana/latest/userguide/version-differences.html
_VERSION = "12.4"
_WORKSPACES: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
_PERMISSIONS: dict[str, list[dict[str, Any]]] = {}
_REQUIRED = ("accountAccessType", "permissionType", "authenticationProviders")
_OF_REQUEST = re.compile(r"^workspace([A-Z])")


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the workspaces that exist."""
    return {"Grafana workspaces": list(_WORKSPACES.get((account_id, region), {}))}


class GrafanaResponse(BaseResponse):
    """Answers Grafana's calls."""

    def __init__(self) -> None:
        """Name the service."""
        super().__init__(service_name="grafana")

    def create_workspace(self) -> str:
        """Make a workspace, active at once."""
        request = json.loads(self.body)
        if missing := [name for name in _REQUIRED if name not in request]:
            raise refusal("ValidationException", f"missing: {', '.join(missing)}", 400)
        name = f"g-{secrets.token_hex(5)}"
        workspace = {
            "id": name,
            "status": "ACTIVE",
            "endpoint": f"{name}.grafana-workspace.{self.region}.amazonaws.com",
            "grafanaVersion": request.get("grafanaVersion", _VERSION),
            "created": time.time(),
            "modified": time.time(),
            "dataSources": [],
            "authentication": {"providers": request["authenticationProviders"]},
            **_described(request),
        }
        self._workspaces()[name] = workspace
        return json.dumps({"workspace": workspace})

    def describe_workspace(self) -> str:
        """Return a workspace."""
        return json.dumps({"workspace": self.workspace()})

    def list_workspaces(self) -> str:
        """Return every workspace."""
        return json.dumps({"workspaces": list(self._workspaces().values())})

    def update_workspace(self) -> str:
        """Change a workspace."""
        workspace = self.workspace()
        workspace |= {**_described(json.loads(self.body)), "modified": time.time()}
        return json.dumps({"workspace": workspace})

    def update_workspace_configuration(self) -> str:
        """Move a workspace to a newer Grafana, never to an older one."""
        workspace, request = self.workspace(), json.loads(self.body)
        version = request.get("grafanaVersion", workspace["grafanaVersion"])
        if _number(version) < _number(workspace["grafanaVersion"]):
            raise refusal("ValidationException", f"cannot downgrade from {workspace['grafanaVersion']}", 400)
        workspace |= {"grafanaVersion": version, "modified": time.time()}
        return json.dumps({})

    def delete_workspace(self) -> str:
        """Delete a workspace."""
        workspace = self.workspace()
        del self._workspaces()[workspace["id"]]
        _PERMISSIONS.pop(workspace["id"], None)
        return json.dumps({"workspace": {**workspace, "status": "DELETING"}})

    def list_permissions(self) -> str:
        """Return who may use a workspace."""
        return json.dumps({"permissions": _PERMISSIONS.get(self.workspace()["id"], [])})

    def update_permissions(self) -> str:
        """Admit and dismiss users and groups."""
        permissions = _PERMISSIONS.setdefault(self.workspace()["id"], [])
        for instruction in json.loads(self.body)["updateInstructionBatch"]:
            for user in instruction["users"]:
                entry = {"role": instruction["role"], "user": user}
                if instruction["action"] == "ADD" and entry not in permissions:
                    permissions.append(entry)
                elif instruction["action"] == "REVOKE" and entry in permissions:
                    permissions.remove(entry)
        return json.dumps({"errors": []})

    def workspace(self) -> dict[str, Any]:
        """Return the workspace that a call is about."""
        name = str(self.uri_match["workspaceId"])
        if name not in self._workspaces():
            raise refusal("ResourceNotFoundException", f"Workspace {name} not found", 404)
        return self._workspaces()[name]

    def _workspaces(self) -> dict[str, dict[str, Any]]:
        return _WORKSPACES.setdefault((self.current_account, self.region), {})


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


RESPONSES = GrafanaResponse


def _described(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request in the words of an answer: workspaceName becomes name."""
    left_out = {"authenticationProviders", "clientToken", "vpcConfiguration", "tags"}
    words = {_OF_REQUEST.sub(lambda match: match[1].lower(), name): value for name, value in request.items()}
    return {name: value for name, value in words.items() if name not in left_out}


def known_workspace(name: str) -> dict[str, Any] | None:
    """Return a workspace by its id, wherever it is; None where there is none."""
    return next((workspaces[name] for workspaces in _WORKSPACES.values() if name in workspaces), None)


def refusal(code: str, message: str, status: int) -> Exception:
    """Return the error that a call is answered with."""
    refused: Any = JsonRESTError(code, message)
    refused.code = status
    error: Exception = refused
    return error
