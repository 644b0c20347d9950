"""Whether an instance can have a session, where the account lets one ask that."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.ssm_sessions import ONLINE, agent_state, not_connected


def known_agent_state(account: Account, instance: str) -> str | None:
    """Return the state of its agent; None where Systems Manager does not have it, empty where one may not ask."""
    try:
        return agent_state(account, instance)
    except NotAllowedError:
        return ""


def require_agent(account: Account, instance: str) -> None:
    """Raise TrainyardError where an instance is known to take no session. Who may not ask gets to know by trying."""
    state = known_agent_state(account, instance)
    if state is None:
        raise not_connected(instance, "not managed by Systems Manager")
    if state not in (ONLINE, ""):
        raise not_connected(instance, f"known to Systems Manager, but its agent is {state}")
