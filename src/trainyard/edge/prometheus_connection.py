"""The connection to a Prometheus: its address, who asks, a pool, and bounds for time, size and attempts."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import HTTPError

from trainyard.edge.prometheus_authorization import Anonymous, Authorization
from trainyard.edge.prometheus_refusals import Reply, too_large, unreachable
from trainyard.errors import InputError
from trainyard.version import __version__

# https://docs.aws.amazon.com/general/latest/gr/prometheus-service.html
AMAZON = re.compile(r"https://aps-workspaces(?:-fips)?\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)/workspaces/ws-")
# What people copy with the address.
_BEHIND_THE_ADDRESS = re.compile(r"/+(?:graph|query|api/v1(?:/(?:query|query_range|remote_write|write))?)?/*$")
_BUSY = {429, 502, 503, 504}
_LOOPBACK = {"127.0.0.1", "localhost", "::1"}


@dataclass(frozen=True)
class Connection:
    """Asks one server, as one asker. Threads may share it."""

    url: str
    """Without /api/v1; `address` makes it of what people write."""
    authorization: Authorization = field(default_factory=Anonymous)
    answers_at: str | None = None
    """Where somebody else answers in its place, as an emulated account does; who is meant says the header Host."""
    timeout_s: float = 30.0
    """For connecting, and for each wait for bytes."""
    attempts: int = 3
    first_pause_s: float = 0.5
    """Doubled after every attempt."""
    most_bytes: int = 64 << 20
    threads: int = 8
    sleep: Callable[[float], None] = time.sleep

    @property
    def is_amazon(self) -> bool:
        """Return whether requests are signed for Amazon Managed Prometheus."""
        return self.authorization.is_amazon

    def ask(self, method: str, path: str, body: bytes = b"") -> Reply:
        """Return the answer, whatever its status. Asking changes nothing, so it is asked again where that may help.

        Raises TrainyardError where there is no answer.
        """
        renewed = False
        for number in range(1, self.attempts + 1):
            last = number == self.attempts
            try:
                reply = self._asked(method, path, body)
            except (HTTPError, OSError) as error:
                if last or not _may_pass(error):
                    raise unreachable(error, self.url, self.timeout_s) from error
            else:
                if _has_expired(reply) and not renewed:
                    renewed = self.authorization.renew()
                    if renewed:
                        continue
                if last or reply.status not in _BUSY or _is_query_error(reply):
                    return reply
            self.sleep(self.first_pause_s * 2 ** (number - 1))
        return self._asked(method, path, body)  # the credentials were renewed at the last attempt

    def _asked(self, method: str, path: str, body: bytes) -> Reply:
        answer = self._pool.request(
            method,
            (self.answers_at or self.url) + path,
            body=body or None,
            headers=self._headers(method, path, body),
            redirect=False,
            retries=False,
            preload_content=False,
            timeout=self.timeout_s,
        )
        try:
            content = answer.read(self.most_bytes + 1, decode_content=True)
            if len(content) > self.most_bytes:
                answer.close()
                raise too_large(self.url, self.most_bytes)
            return Reply(answer.status, answer.headers, content)
        finally:
            answer.release_conn()

    def _headers(self, method: str, path: str, body: bytes) -> dict[str, str]:
        headers = {"User-Agent": f"trainyard/{__version__}", "Accept": "application/json"}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        if urlsplit(self.url).hostname not in _LOOPBACK:
            headers["Accept-Encoding"] = "gzip"  # on this machine packing takes longer than sending
        if self.answers_at:
            headers["Host"] = urlsplit(self.url).netloc
        return headers | self.authorization.headers(method, self.url + path, headers, body)

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        parts = urlsplit(self.answers_at or self.url)
        proxy = getproxies().get(parts.scheme)
        if proxy and parts.hostname not in _LOOPBACK and not proxy_bypass(parts.hostname or ""):
            return urllib3.ProxyManager(proxy, maxsize=self.threads)
        return urllib3.PoolManager(maxsize=self.threads)


def address(written: str) -> str:
    """Return the address of a server without what stands behind it. Raises InputError for what is none."""
    try:
        parts = urlsplit(written.strip())
        port = parts.port
    except ValueError as error:
        raise InputError(f"{written!r} is no address: {error}", where="--prometheus", hint=_EXAMPLE) from error
    if "@" in parts.netloc:
        hint = "set TRAINYARD_PROMETHEUS_USER and TRAINYARD_PROMETHEUS_PASSWORD: arguments can be read by everybody"
        raise InputError("a password in an address would be seen by others", where="--prometheus", hint=hint)
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0:
        raise InputError(f"{written!r} is not the address of a server", where="--prometheus", hint=_EXAMPLE)
    path = _BEHIND_THE_ADDRESS.sub("", parts.path)
    return f"{parts.scheme}://{parts.netloc}{path}"


_EXAMPLE = "write it as http://localhost:9090, or as https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-…"


def _has_expired(reply: Reply) -> bool:
    return reply.status in {400, 401, 403} and b"expired" in reply.body[:2000].lower()


def _is_query_error(reply: Reply) -> bool:
    """Return whether Prometheus itself gave up on the query, which it would do again."""
    return reply.status == 503 and b'"errorType"' in reply.body[:2000]


def _may_pass(error: Exception) -> bool:
    return not isinstance(error, (urllib3.exceptions.SSLError, urllib3.exceptions.ReadTimeoutError))
