"""The HTTP API of a Grafana, over verified TLS, with a token that nobody gets to see.

https://grafana.com/docs/grafana/v10.4/developers/http_api/
"""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from trainyard.edge.https import PassingError, passing
from trainyard.errors import TrainyardError

_TIMEOUT_S = 30.0
_PAUSES_S = (1.0, 2.0, 4.0, 8.0)
_BUSY = frozenset((429, 500, 502, 503, 504))
_MOST_BYTES = 32 << 20
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
            if error.status != http.client.NOT_FOUND:
                raise
            return None

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the answer to a request. Raises GrafanaRefusalError for a refusal, TrainyardError for no answer."""
        status, content = self._tried(method, path, body)
        if status == http.client.UNAUTHORIZED and not self._renewed:
            self._key, self._renewed = self.token(), True
            status, content = self._tried(method, path, body)
        if status >= http.client.MULTIPLE_CHOICES:
            raise self._refusal(status, method, path, content)
        return self._json(content)

    def _tried(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, bytes]:
        """Ask until there is an answer that asking again would not change."""
        for pause_s in (*_PAUSES_S, None):
            try:
                status, content = self._asked(method, path, body)
            except PassingError as error:
                if pause_s is None:
                    hint = f"check the network, proxies, and the workspace's network access control; {_LATER}"
                    raise TrainyardError(f"Grafana does not answer: {error}", where=self.host, hint=hint) from error
            else:
                if status not in _BUSY or pause_s is None:
                    return status, content
            self.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    def _asked(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, bytes]:
        self._key = self._key or self.token()
        headers = {
            "Host": self.host,
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.url + path, data=data, headers=headers, method=method)  # noqa: S310  # of the account
        try:
            with passing(), _opener(self.url).open(request, timeout=_TIMEOUT_S) as answer:
                return answer.status, self._read(answer)
        except HTTPError as error:
            with passing(), error:
                return error.code, self._read(error)
        except TrainyardError as error:  # a certificate that is not accepted
            raise TrainyardError(error.problem, where=self.host, hint=error.hint) from error

    def _read(self, answer: Any) -> bytes:
        content: bytes = answer.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise self._not_grafana("its answer has no end")
        return content

    def _refusal(self, status: int, method: str, path: str, content: bytes) -> GrafanaRefusalError:
        said = _message(content)
        if status < http.client.BAD_REQUEST:
            hint = f"look who answers at this address; a token is sent to nobody else. {_LATER}"
            return GrafanaRefusalError(status, f"{self.host} leads away from Grafana", self.host, hint)
        hint = _HINTS.get(status, f"deploy again; where it stays so, look at the workspace in the console. {_LATER}")
        problem = f"Grafana refuses {method} {path}: {status}{f', {said}' if said else ''}"
        return GrafanaRefusalError(status, problem, self.host, hint)

    def _json(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except ValueError as error:
            raise self._not_grafana("its answer is not JSON") from error

    def _not_grafana(self, why: str) -> TrainyardError:
        hint = f"look who answers at this address, such as a proxy. {_LATER}"
        return TrainyardError(f"{self.host} does not answer like Grafana: {why}", where=self.host, hint=hint)


_HINTS = {
    401: f"it has accepted neither the token nor a new one; look at its service accounts. {_LATER}",
    403: f"the service account has lost its role of admin, or the organisation restricts it: give it back. {_LATER}",
    409: f"something else has the same name there; rename or remove it. {_LATER}",
    412: f"somebody has changed it meanwhile; deploy again. {_LATER}",
}


def _message(content: bytes) -> str:
    """Return what Grafana says of a refusal, on one line and not too long."""
    try:
        said = json.loads(content)
    except ValueError:
        return ""
    text = said.get("message", "") if isinstance(said, dict) else ""
    return " ".join(str(text).split())[:200]


class _NoRedirects(HTTPRedirectHandler):
    """Follows nothing: the token would go along."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""


def _opener(url: str) -> OpenerDirector:
    # No proxy reaches what listens on this machine.
    local = [ProxyHandler({})] if urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1") else []
    return build_opener(_NoRedirects, *local)
