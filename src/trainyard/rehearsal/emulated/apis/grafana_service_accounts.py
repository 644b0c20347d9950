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
from trainyard.rehearsal.emulated.apis.grafana import Grafana, refusal

_ACCOUNTS: dict[str, dict[str, dict[str, Any]]] = {}
_TOKENS: dict[str, dict[str, dict[str, Any]]] = {}
_LONGEST_S = 30 * 24 * 3600


def install() -> None:
    """Add the actions."""
    add(
        Grafana,
        create_workspace_service_account,
        list_workspace_service_accounts,
        delete_workspace_service_account,
        create_workspace_service_account_token,
        list_workspace_service_account_tokens,
        delete_workspace_service_account_token,
    )
    wrap(Grafana, "delete_workspace", _delete_workspace)


def inventory(account_id: str, region: str) -> dict[str, list[str]]:
    """Return the service accounts and tokens that exist."""
    del account_id, region  # an emulated account has one of each
    accounts = [f"{one['name']} of {workspace}" for workspace, made in _ACCOUNTS.items() for one in made.values()]
    tokens = [f"{one['name']} of {workspace}" for workspace, made in _TOKENS.items() for one in made.values()]
    return {"Grafana service accounts": accounts, "Grafana tokens": tokens}


def role_of(workspace: str, key: str) -> str | None:
    """Return the role of whoever has this key; None where nobody has, or has no longer."""
    for token in _TOKENS.get(workspace, {}).values():
        if secrets.compare_digest(token["key"], key) and token["expires"] > time.time():
            return str(_ACCOUNTS[workspace][token["account"]]["grafanaRole"])
    return None


def create_workspace_service_account(self: Any) -> str:
    """Answer CreateWorkspaceServiceAccount. A name is taken once."""
    workspace, asked = self.workspace()["id"], json.loads(self.body)
    accounts = _ACCOUNTS.setdefault(workspace, {})
    if any(account["name"] == asked["name"] for account in accounts.values()):
        raise refusal("ConflictException", f"service account {asked['name']} already exists", 409)
    made = {"id": str(secrets.randbelow(1_000_000_000)), "isDisabled": "false", **asked}
    accounts[made["id"]] = made
    return json.dumps({**made, "workspaceId": workspace})


def list_workspace_service_accounts(self: Any) -> str:
    """Answer ListWorkspaceServiceAccounts."""
    workspace = self.workspace()["id"]
    return json.dumps({"serviceAccounts": list(_ACCOUNTS.get(workspace, {}).values()), "workspaceId": workspace})


def delete_workspace_service_account(self: Any) -> str:
    """Answer DeleteWorkspaceServiceAccount. Its tokens go with it."""
    workspace, account = _account(self)
    del _ACCOUNTS[workspace][account]
    kept = {name: one for name, one in _TOKENS.get(workspace, {}).items() if one["account"] != account}
    _TOKENS[workspace] = kept
    return json.dumps({"serviceAccountId": account, "workspaceId": workspace})


def create_workspace_service_account_token(self: Any) -> str:
    """Answer CreateWorkspaceServiceAccountToken: the only time that anybody sees the key."""
    (workspace, account), asked = _account(self), json.loads(self.body)
    tokens = _TOKENS.setdefault(workspace, {})
    if not 0 < asked["secondsToLive"] <= _LONGEST_S:
        raise refusal("ValidationException", f"secondsToLive has to be between 1 and {_LONGEST_S}", 400)
    if any(token["name"] == asked["name"] for token in tokens.values()):
        raise refusal("ConflictException", f"token {asked['name']} already exists", 409)
    name, key = str(secrets.randbelow(1_000_000_000)), f"glsa_{secrets.token_urlsafe(24)}"
    now = time.time()
    tokens[name] = {"name": asked["name"], "account": account, "key": key, "created": now}
    tokens[name]["expires"] = now + asked["secondsToLive"]
    shown = {"id": name, "name": asked["name"], "key": key}
    return json.dumps({"serviceAccountToken": shown, "serviceAccountId": account, "workspaceId": workspace})


def list_workspace_service_account_tokens(self: Any) -> str:
    """Answer ListWorkspaceServiceAccountTokens, without their keys."""
    workspace, account = _account(self)
    tokens = [
        {"id": name, "name": one["name"], "createdAt": one["created"], "expiresAt": one["expires"]}
        for name, one in _TOKENS.get(workspace, {}).items()
        if one["account"] == account
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
