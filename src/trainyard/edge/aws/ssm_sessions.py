"""Sessions of AWS Systems Manager: whether an instance can have one, their beginning and their end.

What holds a session is session-manager-plugin: ``edge/session_manager.py``.
https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_StartSession.html
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.errors import UNTRANSLATED, has_code
from trainyard.errors import TrainyardError

ONLINE = "Online"
"""The state of an agent that takes sessions; the others are ConnectionLost and Inactive."""
_NOT_MANAGED = {"InvalidInstanceId", "InvalidInstanceInformationFilterValue"}


class SessionRequest(NamedTuple):
    """What kind of session is wanted, and with which instance."""

    instance: str
    document: str | None = None
    """The document of Systems Manager that says what the session does; None for its own shell."""
    parameters: Mapping[str, str] = {}

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of StartSession."""
        parameters = {name: [value] for name, value in self.parameters.items()}
        document = {} if self.document is None else {"DocumentName": self.document}
        return {"Target": self.instance, **document, **({"Parameters": parameters} if parameters else {})}


class Session(NamedTuple):
    """A session that has begun, and waits for who holds it."""

    id: str
    token: str
    url: str

    def __repr__(self) -> str:
        """Leave out the token, which opens the session to whoever has it."""
        return f"Session({self.id})"


def agent_state(account: Account, instance: str) -> str | None:
    """Return what Systems Manager says of an instance's agent; None where it does not have the instance.

    Raises NotAllowedError where the account does not let one ask.
    """
    filters = [{"Key": "InstanceIds", "Values": [instance]}]
    operation, key = "describe_instance_information", "InstanceInformationList"
    agents = pages(account, "ssm", operation, key, none_if=_NOT_MANAGED, Filters=filters)
    return str(agents[0].get("PingStatus") or "of unknown state") if agents else None


def start_session(account: Account, request: SessionRequest) -> Session:
    """Begin a session.

    Raises NotAllowedError where the account does not let one, TrainyardError where the instance is not connected.
    """
    try:
        session = call(account, "ssm", "start_session", **request.arguments())
    except TrainyardError as error:
        if has_code(error.__cause__, ("TargetNotConnected",)):
            raise not_connected(request.instance, "not connected to Systems Manager") from error.__cause__
        if has_code(error.__cause__, ("InvalidDocument", "InvalidDocumentName")):
            raise _no_such_document(request, account.region) from error.__cause__
        raise
    return Session(session["SessionId"], session["TokenValue"], session["StreamUrl"])


def end_session(account: Account, session: Session) -> None:
    """End a session that nobody holds any more, which otherwise stays open until it has been idle for long.

    That it has ended already is no error, and neither is that one may not end it.
    https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_TerminateSession.html
    """
    with suppress(*UNTRANSLATED):
        account.client("ssm").terminate_session(SessionId=session.id)


def not_connected(instance: str, state: str) -> TrainyardError:
    """Return the error of an instance that can have no session.

    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-troubleshooting.html
    """
    return TrainyardError(
        f"no session with {instance}: it is {state}",
        where=instance,
        hint="an instance that has just started takes a few minutes; its role needs AmazonSSMManagedInstanceCore, its "
        "network a way to ssm and ssmmessages, and amazon-ssm-agent has to run there; --ssh is another way in",
    )


def _no_such_document(request: SessionRequest, region: str) -> TrainyardError:
    return TrainyardError(
        f"Systems Manager has no document {request.document}",
        where=region,
        hint=f"`aws ssm describe-document --region {region} --name {request.document}` has to find it",
    )
