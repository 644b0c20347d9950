"""How a Prometheus is told who asks. Secrets come from the environment, never from arguments."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from typing import Protocol

from trainyard.errors import InputError

USER, PASSWORD, TOKEN = "TRAINYARD_PROMETHEUS_USER", "TRAINYARD_PROMETHEUS_PASSWORD", "TRAINYARD_PROMETHEUS_TOKEN"


class Authorization(Protocol):
    """What goes into the headers of a request."""

    @property
    def is_amazon(self) -> bool:
        """Return whether it is for Amazon Managed Prometheus."""

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
        """Return the headers to add."""

    def renew(self) -> bool:
        """Look for newer credentials after the server called these expired. Return whether that may help."""


class Anonymous:
    """For a Prometheus that asks nobody who they are."""

    is_amazon = False

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:  # noqa: ARG002  of the protocol
        """Return none."""
        return {}

    def renew(self) -> bool:
        """Return that there is nothing to renew."""
        return False


class FixedHeader(Anonymous):
    """For basic authentication and bearer tokens."""

    def __init__(self, value: str) -> None:
        """Keep the value of the header, which nothing prints."""
        self._value = value

    def headers(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:  # noqa: ARG002  of the protocol
        """Return the one header."""
        return {"Authorization": self._value}


def from_environment(environment: Mapping[str, str] = os.environ) -> Authorization:
    """Return what the environment names: a token, a user with a password, or nothing."""
    user, password, token = (environment.get(name, "") for name in (USER, PASSWORD, TOKEN))
    if token and user:
        raise InputError(f"both {TOKEN} and {USER} are set", where="environment", hint="unset one of them")
    if bool(user) != bool(password):
        missing = PASSWORD if user else USER
        raise InputError(f"{missing} is not set", where="environment", hint="set both, or neither")
    if token:
        return FixedHeader(f"Bearer {_header(token, TOKEN)}")
    if user:
        return FixedHeader("Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii"))
    return Anonymous()


def _header(value: str, name: str) -> str:
    if not (value.isascii() and value.isprintable() and " " not in value):
        raise InputError(
            f"{name} holds characters that no token has", where="environment", hint="look for a line break"
        )
    return value
