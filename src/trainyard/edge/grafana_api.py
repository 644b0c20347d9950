"""The HTTP API of a Grafana, over verified TLS, with a token that nobody gets to see.

https://grafana.com/docs/grafana/v10.4/developers/http_api/
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from typing import Any

from trainyard.edge.http_client import TRUST, AttemptError, HttpClient, Reply
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted

_LATER = "the cluster is not affected; deploy again once it answers, and nothing is lost"


class GrafanaRefusalError(TrainyardError):
    """Grafana has answered, and not with what was asked for."""

    def __init__(self, status: int, problem: str, where: str, hint: str) -> None:
        """Keep the status: 409 and 412 are for the caller to judge."""
        super().__init__(problem, where=where, hint=hint)
        self.status = status


@dataclass
class GrafanaApi:
    """One Grafana, asked as one asker."""

    url: str
    """Where it answers, without a path."""
    host: str
    """Who it is."""
    token: Callable[[], str] = field(repr=False)
    """Gives a token; asked once more where Grafana does not accept the first one any longer."""
    sleep: Callable[[float], None]
    _key: str = field(default="", repr=False)
    _renewed: bool = False

    def version(self) -> str:
        """Return the version of the Grafana, for which no token is needed."""
        answer = self.ask("GET", "/api/health")
        version = answer.get("version") if isinstance(answer, dict) else None
        if not isinstance(version, str):
            raise self._not_grafana("it does not say its version")
        return version

    def find(self, path: str) -> Any:
        """Return what is at a path; None where nothing is."""
        try:
            return self.ask("GET", path)
        except GrafanaRefusalError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return None

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a request. Raises GrafanaRefusalError for a refusal, TrainyardError for no answer."""
        reply = self._asked(method, path, body)
        if reply.status == HTTPStatus.UNAUTHORIZED and not self._renewed:
            self._key, self._renewed = self.token(), True
            reply = self._asked(method, path, body)
        if reply.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise self._refusal(method, path, reply)
        try:
            return json.loads(reply.body)
        except ValueError as error:
            raise self._not_grafana("its answer is not JSON") from error

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None) -> Reply:
        data = None if body is None else json.dumps(body).encode()
        try:
            return self._http.ask(method, self.url + path, self._headers, data)
        except AttemptError as error:
            if error.failure == "too large":
                raise self._not_grafana("its answer has no end") from error
            if error.failure == "certificate":
                raise TrainyardError(str(error), where=self.host, hint=TRUST) from error
            hint = f"check the network, proxies, and the workspace's network access control; {_LATER}"
            raise TrainyardError(f"Grafana does not answer: {error}", where=self.host, hint=hint) from error

    def _headers(self) -> dict[str, str]:
        self._key = self._key or self.token()
        return {
            "Host": self.host,
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }

    @cached_property
    def _http(self) -> HttpClient:
        return HttpClient(sleep=self.sleep)

    def _refusal(self, method: str, path: str, reply: Reply) -> GrafanaRefusalError:
        status, message = reply.status, " ".join(str(reply.content().get("message", "")).split())[:200]
        if status < HTTPStatus.BAD_REQUEST:
            hint = f"look who answers at this address; a token is sent to nobody else. {_LATER}"
            return GrafanaRefusalError(status, f"{self.host} leads away from Grafana", self.host, hint)
        hint = _HINTS.get(status, f"deploy again; where it stays so, look at the workspace in the console. {_LATER}")
        problem = f"Grafana refuses {method} {path}: {status}{f', {quoted(message)}' if message else ''}"
        return GrafanaRefusalError(status, problem, self.host, hint)

    def _not_grafana(self, why: str) -> TrainyardError:
        hint = f"look who answers at this address, such as a proxy. {_LATER}"
        return TrainyardError(f"{self.host} does not answer like Grafana: {why}", where=self.host, hint=hint)


_HINTS = {
    401: f"it has accepted neither the token nor a new one; look at its service accounts. {_LATER}",
    403: f"the service account has lost its role of admin, or the organisation restricts it: give it back. {_LATER}",
    409: f"something else has the same name there; rename or remove it. {_LATER}",
    412: f"somebody has changed it meanwhile; deploy again. {_LATER}",
}
