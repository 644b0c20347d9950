"""Amazon Managed Grafana: workspaces, and the tokens with which programs get into them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.errors import UNTRANSLATED
from trainyard.errors import TrainyardError

# Long enough for a slow network, and short enough to be of no use to whoever finds it tomorrow.
TOKEN_LIFE_S = 900
_POLL_S = 10.0
_POLLS = 60  # ten minutes
_GONE = ("ResourceNotFoundException",)
# On the way to ACTIVE, by itself.
# https://docs.aws.amazon.com/grafana/latest/APIReference/API_WorkspaceSummary.html
_PASSING = {"CREATING", "UPDATING", "UPGRADING", "VERSION_UPDATING"}


class Workspace(NamedTuple):
    """A workspace as it is now."""

    id: str
    status: str
    host: str
    version: str


class Token(NamedTuple):
    """What opens a workspace for a while. Never printed."""

    id: str
    key: str

    def __repr__(self) -> str:
        """Leave out the key."""
        return f"Token({self.id})"


def find_workspace(account: Account, workspace: str) -> Workspace | None:
    """Return a workspace; None where there is none of this id."""
    doing = f"look at Grafana workspace {workspace}"
    answer = call(account, "grafana", "describe_workspace", doing=doing, none_if=_GONE, workspaceId=workspace)
    if answer is None:
        return None
    described = answer["workspace"]
    return Workspace(workspace, described["status"], described["endpoint"], described.get("grafanaVersion", ""))


def active_workspace(account: Account, workspace: str) -> Workspace:
    """Return a workspace once it works. Raises TrainyardError where it does not come to that."""
    state = find_workspace(account, workspace)
    for _ in range(_POLLS):
        if state is None or state.status not in _PASSING:
            break
        account.clock.sleep(_POLL_S)
        state = find_workspace(account, workspace)
    if state is None or state.status != "ACTIVE":
        raise TrainyardError(
            f"Grafana workspace {workspace} is {state.status if state else 'gone'}",
            where=workspace,
            hint="look at it in the console of Amazon Managed Grafana; the next deployment fills it",
        )
    return state


def service_account(account: Account, workspace: str, name: str) -> str:
    """Return the id of the service account of this name, made where it is missing, with the rights of an admin.

    One stays: each that has ever called in a month is paid for as a user. https://aws.amazon.com/grafana/pricing/
    """
    if (account_id := find_service_account(account, workspace, name)) is not None:
        return account_id
    # Only an admin may add data sources.
    # https://grafana.com/docs/grafana/v10.4/administration/roles-and-permissions/
    settings = {"workspaceId": workspace, "name": name, "grafanaRole": "ADMIN"}
    doing = f"make a service account in {workspace}"
    return str(call(account, "grafana", "create_workspace_service_account", doing=doing, **settings)["id"])


def find_service_account(account: Account, workspace: str, name: str) -> str | None:
    """Return the id of the service account of this name; None where there is none."""
    operation, key = "list_workspace_service_accounts", "serviceAccounts"
    accounts = pages(account, "grafana", operation, key, workspaceId=workspace)
    return next((str(described["id"]) for described in accounts if described["name"] == name), None)


def create_token(account: Account, workspace: str, of: str) -> Token:
    """Make a token of a service account, that ends by itself. Its name is one that no other has."""
    token = call(
        account,
        "grafana",
        "create_workspace_service_account_token",
        doing=f"make a token for {workspace}",
        workspaceId=workspace,
        serviceAccountId=of,
        name=f"trainyard-{secrets.token_hex(8)}",
        secondsToLive=TOKEN_LIFE_S,
    )["serviceAccountToken"]
    return Token(token["id"], token["key"])


def delete_token(account: Account, workspace: str, of: str, token: Token) -> None:
    """Delete it. Where that fails, its life is short anyway: that is no reason to fail."""
    with suppress(*UNTRANSLATED):
        account.client("grafana").delete_workspace_service_account_token(
            workspaceId=workspace, serviceAccountId=of, tokenId=token.id
        )


def delete_service_account(account: Account, workspace: str, of: str) -> None:
    """Delete it, with its tokens."""
    doing, place = f"delete the service account of {workspace}", {"workspaceId": workspace, "serviceAccountId": of}
    call(account, "grafana", "delete_workspace_service_account", doing=doing, none_if=_GONE, **place)
