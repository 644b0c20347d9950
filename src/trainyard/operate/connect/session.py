"""Sessions of Systems Manager: what is asked for, what is checked before, and how one is held."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import IO

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.ssm_sessions import SessionRequest, start_session
from trainyard.edge.session_manager import hold_session, installed_plugin
from trainyard.errors import TrainyardError
from trainyard.operate.connect.agents import require_agent
from trainyard.operate.connect.node_user import SESSION_USER

SSH_PORT = 22


def open_session(
    account: Account,
    request: SessionRequest,
    *,
    output: IO[str] | int | None = None,
    tell: Callable[[str], None] = lambda _: None,
    opened: Callable[[], None] = lambda: None,
) -> int:
    """Open a session, hold it until it ends, and return the exit status of what held it.

    ``opened`` is called when the session has begun. Raises TrainyardError where session-manager-plugin or the instance
    cannot take one, NotAllowedError where the account does not let one.
    """
    plugin = installed_plugin()
    if plugin.note is not None:
        tell(plugin.note)
    require_agent(account, request.instance)
    try:
        session = start_session(account, request)
    except NotAllowedError as error:
        raise _not_allowed(error, request) from error
    opened()
    return hold_session(account, plugin, request, session, output)


def aws_command(account: Account, request: SessionRequest) -> tuple[str, ...]:
    """Return the command of the AWS CLI that asks for the same session."""
    profile = () if account.profile is None else ("--profile", account.profile)
    document = () if request.document is None else ("--document-name", request.document)
    values = {name: [value] for name, value in request.parameters.items()}
    parameters = ("--parameters", json.dumps(values)) if values else ()
    command = ("aws", "ssm", "start-session", "--region", account.region, *profile)
    return (*command, "--target", request.instance, *document, *parameters)


def shell_request(instance: str, user: str) -> SessionRequest:
    """Return the request of a login shell as a user; of the session's own shell for the session's own user.

    The command is fixed, and the user's name has been checked.
    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-sessions-start.html
    """
    if user == SESSION_USER:
        return SessionRequest(instance)
    return SessionRequest(instance, "AWS-StartInteractiveCommand", {"command": f"sudo su - {user}"})


def ssh_request(instance: str) -> SessionRequest:
    """Return the request of a stream to the node's sshd.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-getting-started-enable-ssh-connections.html
    """
    return SessionRequest(instance, "AWS-StartSSHSession", {"portNumber": str(SSH_PORT)})


def _not_allowed(error: NotAllowedError, request: SessionRequest) -> TrainyardError:
    """Return the error with the ways around it: rights are given for instances and for documents.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-specify-session-document.html
    """
    resources = f"{request.instance}{f' and the document {request.document}' if request.document else ''}"
    around = "" if request.document != "AWS-StartInteractiveCommand" else f"; --user {SESSION_USER} needs no document"
    hint = f"it has to hold for {resources}{around}; {error.hint}"
    return TrainyardError(error.problem, where=request.instance, hint=hint)
