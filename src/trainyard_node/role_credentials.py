"""The credentials of the instance's role, and the form in which other programs read them from a file.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
https://docs.aws.amazon.com/sdkref/latest/guide/feature-process-credentials.html
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from http import HTTPStatus
from typing import NamedTuple
from urllib.error import HTTPError

from trainyard_node.clock import Clock, in_words
from trainyard_node.imds import answered, metadata

_PLACE = "iam/security-credentials/"
_MOMENT = "%Y-%m-%dT%H:%M:%SZ"


class RoleCredentials(NamedTuple):
    """Keys that end."""

    access_key_id: str
    secret_access_key: str
    session_token: str
    expires: datetime

    def as_process_output(self, expires: datetime) -> str:
        """Return what a credential_process prints. Whoever reads it reads again when ``expires`` is over."""
        return json.dumps(
            {
                "Version": 1,
                "AccessKeyId": self.access_key_id,
                "SecretAccessKey": self.secret_access_key,
                "SessionToken": self.session_token,
                "Expiration": in_words(expires),
            }
        )


def role_credentials(clock: Clock) -> RoleCredentials:
    """Return the credentials that hold now. Raises NodeError where the service has none."""
    return answered(lambda: _ask(clock), clock)


def expiration(text: str) -> datetime:
    """Return when credentials in the form of a credential_process end. Raises ValueError where they do not say so."""
    said = json.loads(text)
    if not isinstance(said, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - damaged text is no wrong type of ours
    return _moment(said.get("Expiration"))


def _ask(clock: Clock) -> RoleCredentials:
    """Ask once. No error repeats what the service says: it is a secret."""
    role = _role()
    if not re.fullmatch(r"[\w+=,.@-]{1,64}", role, re.ASCII):
        raise ValueError("it names no role: the instance has no instance profile")
    (text,) = metadata(_PLACE + role)
    said = json.loads(text)
    if not isinstance(said, dict) or said.get("Code") != "Success":
        raise ValueError("it has no credentials of the role: see that the role still exists")
    key, secret, token = (_text(said.get(name)) for name in ("AccessKeyId", "SecretAccessKey", "Token"))
    found = RoleCredentials(key, secret, token, _moment(said.get("Expiration")))
    if found.expires <= clock.now():
        raise ValueError(f"its credentials ended at {in_words(found.expires)}; see that the clock is right")
    return found


def _role() -> str:
    try:
        (listed,) = metadata(_PLACE)
    except HTTPError as error:
        if error.code != HTTPStatus.NOT_FOUND:
            raise
        return ""
    return (listed.split() or [""])[0]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("what it says are no credentials")
    return value


def _moment(value: object) -> datetime:
    return datetime.strptime(_text(value), _MOMENT).replace(tzinfo=timezone.utc)
