"""Amazon Managed Grafana: workspaces, and the tokens with which programs get into them."""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import NamedTuple

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code
from trainyard.errors import TrainyardError

# Long enough for a slow network, and short enough to be of no use to whoever finds it tomorrow.
TOKEN_LIFE_S = 900
_POLL_S = 10.0
_POLLS = 60  # ten minutes
_GONE = "ResourceNotFoundException"
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
    try:
        found = account.client("grafana").describe_workspace(workspaceId=workspace)["workspace"]
    except ClientError as error:
        if code(error) == _GONE:
            return None
        raise account_error(error, account.region, f"look at Grafana workspace {workspace}") from error
    return Workspace(workspace, found["status"], found["endpoint"], found.get("grafanaVersion", ""))


def active_workspace(account: Account, workspace: str) -> Workspace:
    """Return a workspace once it works. Raises TrainyardError where it does not come to that."""
    found = find_workspace(account, workspace)
    for _ in range(_POLLS):
        if found is None or found.status not in _PASSING:
            break
        account.clock.sleep(_POLL_S)
        found = find_workspace(account, workspace)
    if found is None or found.status != "ACTIVE":
        raise TrainyardError(
            f"Grafana workspace {workspace} is {found.status if found else 'gone'}",
            where=workspace,
            hint="look at it in the console of Amazon Managed Grafana; the next deployment fills it",
        )
    return found


def service_account(account: Account, workspace: str, name: str) -> str:
    """Return the id of the service account of this name, made where it is missing, with the rights of an admin.

    One stays: each that has ever called in a month is paid for as a user. https://aws.amazon.com/grafana/pricing/
    """
    if (found := find_service_account(account, workspace, name)) is not None:
        return found
    client = account.client("grafana")
    try:
        # Only an admin may add data sources.
        # https://grafana.com/docs/grafana/v10.4/administration/roles-and-permissions/
        made = client.create_workspace_service_account(workspaceId=workspace, name=name, grafanaRole="ADMIN")
    except ClientError as error:
        raise account_error(error, account.region, f"make a service account in {workspace}") from error
    return str(made["id"])


def find_service_account(account: Account, workspace: str, name: str) -> str | None:
    """Return the id of the service account of this name; None where there is none."""
    pages = account.client("grafana").get_paginator("list_workspace_service_accounts")
    found = (one for page in pages.paginate(workspaceId=workspace) for one in page["serviceAccounts"])
    return next((str(one["id"]) for one in found if one["name"] == name), None)


def create_token(account: Account, workspace: str, of: str) -> Token:
    """Make a token of a service account, that ends by itself. Its name is one that no other has."""
    try:
        made = account.client("grafana").create_workspace_service_account_token(
            workspaceId=workspace,
            serviceAccountId=of,
            name=f"trainyard-{secrets.token_hex(8)}",
            secondsToLive=TOKEN_LIFE_S,
        )["serviceAccountToken"]
    except ClientError as error:
        raise account_error(error, account.region, f"make a token for {workspace}") from error
    return Token(made["id"], made["key"])


def delete_token(account: Account, workspace: str, of: str, token: Token) -> None:
    """Delete it. Where that fails, its life is short anyway: that is no reason to fail."""
    with suppress(ClientError):
        account.client("grafana").delete_workspace_service_account_token(
            workspaceId=workspace, serviceAccountId=of, tokenId=token.id
        )


def delete_service_account(account: Account, workspace: str, of: str) -> None:
    """Delete it, with its tokens."""
    try:
        account.client("grafana").delete_workspace_service_account(workspaceId=workspace, serviceAccountId=of)
    except ClientError as error:
        if code(error) != _GONE:
            raise account_error(error, account.region, f"delete the service account of {workspace}") from error
