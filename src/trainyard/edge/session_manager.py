"""session-manager-plugin, AWS's program that holds a session: started as the AWS CLI starts it, without the AWS CLI.

https://github.com/aws/session-manager-plugin
"""

from __future__ import annotations

import json
import os
import re
from shutil import which
from typing import IO, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import cleaned_up
from trainyard.edge.aws.ssm_sessions import Session, SessionRequest, end_session
from trainyard.edge.foreground import run_in_foreground
from trainyard.edge.watched_program import run_watched
from trainyard.errors import TrainyardError

_PROGRAM = "session-manager-plugin"
_INSTALLING = (
    "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html"
)
# The last one that can be told the session's token in its arguments alone, where everybody on this machine sees it.
# LAST_PLUGIN_VERSION_WITHOUT_ENV_VAR of https://github.com/aws/aws-cli/blob/develop/awscli/customizations/sessionmanager.py
_LAST_WITH_TOKEN_IN_ARGUMENTS = (1, 2, 497, 0)
# https://docs.amazonaws.cn/en_us/systems-manager/latest/userguide/plugin-version-history.html
_OLDEST_SUPPORTED = (1, 2, 764, 0)
_VARIABLE = "AWS_SSM_START_SESSION_RESPONSE"
# Where it listens instead of localhost: handleClientConnections in src/sessionmanagerplugin/session/portsession/
# muxportforwarding.go of its sources. A tunnel into a cluster is for this machine alone.
_LISTENS_ELSEWHERE = "SSM_PLUGIN_LOCAL_HOST"
_ANSWERS_WITHIN_S = 20


class Plugin(NamedTuple):
    """The program, as it is installed here."""

    path: str
    version: str

    @property
    def note(self) -> str | None:
        """Return what is to be said of its version; None where nothing is."""
        if _numbers(self.version) >= _OLDEST_SUPPORTED:
            return None
        return (
            f"{_PROGRAM} {self.version} is older than {_written(_OLDEST_SUPPORTED)}, which AWS asks for: {_INSTALLING}"
        )


def installed_plugin() -> Plugin:
    """Return the program. Raises TrainyardError where it is missing, does not run, or is too old to be used safely."""
    path = which(_PROGRAM)
    if path is None:
        raise TrainyardError(f"there is no program {_PROGRAM} here", where="PATH", hint=f"install it: {_INSTALLING}")
    version = _version(path)
    if _numbers(version) <= _LAST_WITH_TOKEN_IN_ARGUMENTS:
        problem = f"{_PROGRAM} {version} would show the token of the session to everybody on this machine"
        raise TrainyardError(problem, where=path, hint=f"install {_written(_OLDEST_SUPPORTED)} or newer: {_INSTALLING}")
    return Plugin(path, version)


def hold_session(
    account: Account, plugin: Plugin, request: SessionRequest, session: Session, output: IO[str] | int | None = None
) -> int:
    """Hold a session until it ends, and return the exit status of the program, below zero where a signal ended it.

    The token goes by a variable, which only this user and root can see. ``output`` takes what the program prints, where
    it is not to come on standard output. Whatever happens, the session has ended afterwards.
    """
    arguments = (
        plugin.path,
        _VARIABLE,
        account.region,
        "StartSession",
        account.profile or "",
        json.dumps(request.arguments()),
        account.client("ssm").meta.endpoint_url,
    )
    with cleaned_up(lambda: end_session(account, session)):
        return run_in_foreground(arguments, _variables(account, session), output)


def _variables(account: Account, session: Session) -> dict[str, str]:
    session_values = {"SessionId": session.id, "TokenValue": session.token, "StreamUrl": session.url}
    variables = {**os.environ, **account.variables(), _VARIABLE: json.dumps(session_values)}
    variables.pop(_LISTENS_ELSEWHERE, None)
    return variables


def _version(path: str) -> str:
    ended = run_watched([path, "--version"], os.environ, timeout_s=_ANSWERS_WITHIN_S)
    if ended.timed_out:
        raise _does_not_say(path, f"nothing within {_ANSWERS_WITHIN_S} s")
    version = ended.output.strip()
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9}){1,3}", version):
        raise _does_not_say(path, repr(version[:80]))
    return version


def _does_not_say(path: str, reason: str) -> TrainyardError:
    hint = f"`{_PROGRAM} --version` has to print a version; install it anew: {_INSTALLING}"
    return TrainyardError(f"{_PROGRAM} does not say which version it is: {reason}", where=path, hint=hint)


def _numbers(version: str) -> tuple[int, ...]:
    numbers = tuple(int(number) for number in version.split("."))
    return numbers + (0,) * (len(_OLDEST_SUPPORTED) - len(numbers))


def _written(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
