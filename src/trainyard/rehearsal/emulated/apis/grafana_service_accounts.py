"""Amazon Managed Grafana: service accounts of a workspace, and their tokens, which end by themselves.

https://docs.aws.amazon.com/grafana/latest/userguide/service-accounts.html
https://docs.aws.amazon.com/grafana/latest/APIReference/API_CreateWorkspaceServiceAccountToken.html
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from trainyard.rehearsal.emulated.actions import add, wrap
from trainyard.rehearsal.emulated.apis.grafana import GrafanaResponse, refusal

_ACCOUNTS: dict[str, dict[str, dict[str, Any]]] = {}
_TOKENS: dict[str, dict[str, dict[str, Any]]] = {}
_LONGEST_S = 30 * 24 * 3600


def install() -> None:
    """Add the actions."""
    add(
        GrafanaResponse,
        create_workspace_service_account,
        list_workspace_service_accounts,
        delete_workspace_service_account,
        create_workspace_service_account_token,
        list_workspace_service_account_tokens,
        delete_workspace_service_account_token,
    )
    wrap(GrafanaResponse, "delete_workspace", _delete_workspace)


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the service accounts and tokens that exist."""
    del account_id, region  # an emulated account has one of each
    accounts = [
        f"{account['name']} of {workspace}"
        for workspace, accounts_by_id in _ACCOUNTS.items()
        for account in accounts_by_id.values()
    ]
    tokens = [
        f"{token['name']} of {workspace}"
        for workspace, tokens_by_id in _TOKENS.items()
        for token in tokens_by_id.values()
    ]
    return {"Grafana service accounts": accounts, "Grafana tokens": tokens}


def role_of(workspace: str, key: str) -> str | None:
    """Return the role of whoever has this key; None where nobody has, or has no longer."""
    for token in _TOKENS.get(workspace, {}).values():
        if secrets.compare_digest(token["key"], key) and token["expires"] > time.time():
            return str(_ACCOUNTS[workspace][token["account"]]["grafanaRole"])
    return None


def create_workspace_service_account(self: Any) -> str:
    """Answer CreateWorkspaceServiceAccount. A name is taken once."""
    workspace, request = self.workspace()["id"], json.loads(self.body)
    accounts = _ACCOUNTS.setdefault(workspace, {})
    if any(account["name"] == request["name"] for account in accounts.values()):
        raise refusal("ConflictException", f"service account {request['name']} already exists", 409)
    service_account = {"id": str(secrets.randbelow(1_000_000_000)), "isDisabled": "false", **request}
    accounts[service_account["id"]] = service_account
    return json.dumps({**service_account, "workspaceId": workspace})


def list_workspace_service_accounts(self: Any) -> str:
    """Answer ListWorkspaceServiceAccounts."""
    workspace = self.workspace()["id"]
    return json.dumps({"serviceAccounts": list(_ACCOUNTS.get(workspace, {}).values()), "workspaceId": workspace})


def delete_workspace_service_account(self: Any) -> str:
    """Answer DeleteWorkspaceServiceAccount. Its tokens go with it."""
    workspace, account = _account(self)
    del _ACCOUNTS[workspace][account]
    remaining = {name: token for name, token in _TOKENS.get(workspace, {}).items() if token["account"] != account}
    _TOKENS[workspace] = remaining
    return json.dumps({"serviceAccountId": account, "workspaceId": workspace})


def create_workspace_service_account_token(self: Any) -> str:
    """Answer CreateWorkspaceServiceAccountToken: the only time that anybody sees the key."""
    (workspace, account), request = _account(self), json.loads(self.body)
    tokens = _TOKENS.setdefault(workspace, {})
    if not 0 < request["secondsToLive"] <= _LONGEST_S:
        raise refusal("ValidationException", f"secondsToLive has to be between 1 and {_LONGEST_S}", 400)
    if any(token["name"] == request["name"] for token in tokens.values()):
        raise refusal("ConflictException", f"token {request['name']} already exists", 409)
    name, key = str(secrets.randbelow(1_000_000_000)), f"glsa_{secrets.token_urlsafe(24)}"
    now = time.time()
    tokens[name] = {"name": request["name"], "account": account, "key": key, "created": now}
    tokens[name]["expires"] = now + request["secondsToLive"]
    shown = {"id": name, "name": request["name"], "key": key}
    return json.dumps({"serviceAccountToken": shown, "serviceAccountId": account, "workspaceId": workspace})


def list_workspace_service_account_tokens(self: Any) -> str:
    """Answer ListWorkspaceServiceAccountTokens, without their keys."""
    workspace, account = _account(self)
    tokens = [
        {"id": name, "name": token["name"], "createdAt": token["created"], "expiresAt": token["expires"]}
        for name, token in _TOKENS.get(workspace, {}).items()
        if token["account"] == account
    ]
    return json.dumps({"serviceAccountTokens": tokens, "serviceAccountId": account, "workspaceId": workspace})


def delete_workspace_service_account_token(self: Any) -> str:
    """Answer DeleteWorkspaceServiceAccountToken."""
    (workspace, account), token = _account(self), str(self.uri_match["tokenId"])
    if _TOKENS.get(workspace, {}).pop(token, None) is None:
        raise refusal("ResourceNotFoundException", f"token {token} not found", 404)
    return json.dumps({"tokenId": token, "serviceAccountId": account, "workspaceId": workspace})


def _account(self: Any) -> tuple[str, str]:
    workspace, account = self.workspace()["id"], str(self.uri_match["serviceAccountId"])
    if account not in _ACCOUNTS.get(workspace, {}):
        raise refusal("ResourceNotFoundException", f"service account {account} not found", 404)
    return workspace, account


def _delete_workspace(former: Callable[..., str], self: Any) -> str:
    workspace, answer = self.workspace()["id"], former(self)
    _ACCOUNTS.pop(workspace, None)
    _TOKENS.pop(workspace, None)
    return answer
