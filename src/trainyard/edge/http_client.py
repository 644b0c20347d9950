"""HTTP where the AWS SDK has no client: proxies and certificates of the environment, time and size limits, retries.

What a refusal means is for those who ask: `prometheus_connection`, `grafana_api` and `downloads`.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import unquote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import BaseHTTPResponse as Answer
from urllib3 import PoolManager, ProxyManager, exceptions, make_headers

from trainyard.errors import TrainyardError
from trainyard.stop_request import pause
from trainyard.version import __version__

Result = TypeVar("Result")
Failure = Literal["busy", "certificate", "connection", "name", "proxy", "slow", "timeout", "tls", "too large"]

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
"""Hosts that are on this machine, which no proxy reaches."""
NOT_HTTPS = "what nodes run as root is fetched over https only; look who answers at this address"
TRUST = "where a proxy of your own has answered, name its certificates in SSL_CERT_FILE"
# Busy, or broken for now: https://www.rfc-editor.org/rfc/rfc9110.html#section-15.6 and RFC 6585 for 429
_BUSY = {408, 425, 429, 500, 502, 503, 504}
# The first that fits: urllib3 counts a connection that is refused among the time-outs.
_FAILURES: tuple[tuple[type[Exception], Failure], ...] = (
    (exceptions.SSLError, "tls"),
    (exceptions.NameResolutionError, "name"),
    (exceptions.NewConnectionError, "connection"),
    (exceptions.ProxyError, "proxy"),
    (exceptions.ReadTimeoutError, "slow"),
    (exceptions.TimeoutError, "timeout"),
    (TimeoutError, "timeout"),
)
_MOST_RETRY_AFTER_S = 60
_MOST_REDIRECTS = 10


class Reply(NamedTuple):
    """The answer of a server."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def content(self) -> dict[str, Any]:
        """Return the object in a short answer; empty where it is none."""
        try:
            content = json.loads(self.body[:100_000])
        except ValueError:
            return {}
        return content if isinstance(content, dict) else {}


class AttemptError(Exception):
    """An attempt has failed. Its text says how."""

    def __init__(
        self, problem: str, failure: Failure = "connection", reason: str = "", reply: Reply | None = None
    ) -> None:
        """Keep the network's own words, or the answer of a server that is busy."""
        super().__init__(problem)
        self.failure, self.reason, self.reply = failure, reason, reply

    @property
    def retry_after_s(self) -> int:
        """Return for how long a busy server wants to be left alone, at most a minute.

        https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3, without its dates
        """
        pause_s = self.reply.headers.get("Retry-After", "") if self.reply else ""
        return min(int(pause_s), _MOST_RETRY_AFTER_S) if pause_s.isascii() and pause_s.isdigit() else 0


@dataclass(frozen=True)
class RetryPolicy:
    """How often something is attempted, and how long the pauses are."""

    attempts: int = 5
    first_pause_s: float = 1.0
    """Doubled after every attempt, and longer where a server asks for that."""
    final: frozenset[Failure] = frozenset({"certificate", "too large"})
    """What another attempt would not change."""


@dataclass(frozen=True)
class HttpClient:
    """Sends requests. Threads may share it."""

    timeout_s: float = 30.0
    """For connecting, and for each wait for bytes."""
    most_bytes: int = 32 << 20
    """Of an answer that `ask` returns."""
    retry: RetryPolicy = RetryPolicy()
    sleep: Callable[[float], None] = pause
    pools: dict[str, PoolManager] = field(default_factory=dict, repr=False)
    """Connections, by the proxy that they go through, which is empty for none. They are made when they are needed."""

    def attempt(self, action: Callable[[], Result], report: Callable[[str], None] = lambda _: None) -> Result:
        """Return what an action returns that may raise AttemptError. The last one is raised."""
        number = 1
        while True:
            try:
                return action()
            except AttemptError as error:
                if number >= self.retry.attempts or error.failure in self.retry.final:
                    raise
                pause_s = max(self.retry.first_pause_s * 2 ** (number - 1), error.retry_after_s)
                report(f"{error}; tries again in {pause_s:g} s")
            self.sleep(pause_s)
            number += 1

    def ask(
        self,
        method: str,
        url: str,
        headers: Callable[[], Mapping[str, str]],
        body: bytes | None = None,
        is_final: Callable[[Reply], object] = lambda _: False,
    ) -> Reply:
        """Return the answer, asked for again where that may help. Raises AttemptError where there is none.

        No redirect is followed, because a token or a password would go along.
        An answer that is final is not asked for again, although its status says that the server is busy.
        """

        def action() -> Reply:
            sent = headers()
            with _failures():
                answer = self._send(method, url, sent, body, whole=True)
                try:
                    content = answer.read(self.most_bytes + 1, decode_content=True)
                    if len(content) > self.most_bytes:
                        answer.close()
                        raise AttemptError("", "too large", f"is larger than {self.most_bytes >> 20} MiB")
                finally:
                    answer.release_conn()
            reply = Reply(answer.status, answer.headers, content)
            if reply.status in _BUSY and not is_final(reply):
                raise AttemptError("", "busy", reply=reply)
            return reply

        try:
            return self.attempt(action)
        except AttemptError as error:
            if error.reply is None:
                raise
            return error.reply

    @contextmanager
    def stream(self, url: str, headers: Mapping[str, str]) -> Iterator[Answer]:
        """Make one attempt to get what an address, or a redirect from it, leads to. `chunk` reads it."""
        with _failures():
            answer = self._followed(url, headers)
        try:
            if answer.status in _BUSY:
                problem = f"{urlsplit(url).hostname} says {answer.status} {answer.reason}"
                raise AttemptError(problem, "busy", reply=Reply(answer.status, answer.headers, b""))
            yield answer
        finally:
            answer.close()
            answer.release_conn()

    def _followed(self, url: str, headers: Mapping[str, str]) -> Answer:
        for _ in range(_MOST_REDIRECTS):
            answer = self._send("GET", url, headers, whole=False)
            location = answer.get_redirect_location()
            if not location:
                break
            answer.close()
            target = urljoin(url, location)
            scheme = urlsplit(target).scheme
            if url.startswith("https:") and scheme != "https":
                raise TrainyardError(f"{url} leads to {target}, which is not https", where=url, hint=NOT_HTTPS)
            if scheme not in {"http", "https"}:
                break
            url = target
        return answer

    def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None, *, whole: bool
    ) -> Answer:
        return self._pool(url).request(
            method,
            url,
            body=body,
            headers={"User-Agent": f"trainyard/{__version__}", **headers},
            timeout=self.timeout_s,
            redirect=False,
            retries=False,
            preload_content=False,
            # Downloads keep what came before a connection ended, and compare the length themselves.
            enforce_content_length=whole,
        )

    def _pool(self, url: str) -> PoolManager:
        """Return the connections for an address, by HTTPS_PROXY, HTTP_PROXY and NO_PROXY."""
        parts = urlsplit(url)
        proxy = getproxies().get(parts.scheme, "")
        if parts.hostname in LOOPBACK or proxy_bypass(parts.netloc.rpartition("@")[2]):
            proxy = ""
        if proxy not in self.pools:
            # Of two threads that come first at once, both take the same.
            self.pools.setdefault(proxy, _through(proxy) if proxy else PoolManager(maxsize=8))
        return self.pools[proxy]


def chunk(answer: Answer, most_bytes: int) -> bytes:
    """Return the next bytes of a stream as they were sent, none at its end. Raises AttemptError."""
    with _failures():
        return answer.read(most_bytes, decode_content=False)


def _through(proxy: str) -> ProxyManager:
    address = proxy if "://" in proxy else f"http://{proxy}"
    parts = urlsplit(address)
    person = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    return ProxyManager(address, maxsize=8, proxy_headers=make_headers(proxy_basic_auth=person))


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    # ValueError: what is asked for is no address at all.
    except (exceptions.HTTPError, http.client.HTTPException, OSError, ValueError) as error:
        raise _failure(error) from error


def _failure(error: Exception) -> AttemptError:
    inner = _deepest(error)
    reason = " ".join(str(getattr(inner, "strerror", None) or inner).split())[:300]
    if isinstance(inner, ssl.SSLCertVerificationError):
        problem = f"the certificate is not accepted: {inner.verify_message}"
        return AttemptError(problem, "certificate", inner.verify_message)
    if isinstance(inner, http.client.IncompleteRead):
        return AttemptError("the connection ended early", reason=reason)
    failure: Failure = next((failure for kind, failure in _FAILURES if isinstance(error, kind)), "connection")
    late = failure in {"slow", "timeout"}
    return AttemptError("the server did not answer in time" if late else f"no connection: {reason}", failure, reason)


def _deepest(error: BaseException) -> BaseException:
    for _ in range(5):
        wrapped = (getattr(error, "reason", None), error.__cause__, *error.args)
        inner = next((candidate for candidate in wrapped if isinstance(candidate, BaseException)), None)
        if inner is None:
            break
        error = inner
    return error
