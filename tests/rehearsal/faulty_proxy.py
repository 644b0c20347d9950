"""A proxy before the emulated account that fails a fifth of all calls, in every way in which AWS and networks fail."""

from __future__ import annotations

import http.client
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import urlsplit

from trainyard.rehearsal.emulated.emulated_account import KEY_HEADER

SHARE = 0.2
FAULTS = ("throttled", "server error", "reset before", "reset after", "late")
_LATE_S = 0.5
# kubectl waits for what it is told, all others for what they choose.
_AGAIN = ("Retry-After", "1")
_EXPIRED = b"The security token included in the request is expired"
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
# https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html
_EXPIRED_CODES = {
    b"ThrottlingException": b"ExpiredTokenException",
    b"RequestLimitExceeded": b"RequestExpired",
    b"Throttling": b"ExpiredToken",
    b"SlowDown": b"ExpiredToken",
}
_OWN_HEADERS = {"connection", "transfer-encoding", "content-length", "content-encoding"}


class Request(NamedTuple):
    """One call."""

    method: str
    path: str
    headers: Message
    body: bytes


class Proxy(ThreadingHTTPServer):
    """Hands calls on."""

    daemon_threads = True

    def __init__(self, endpoint: str) -> None:
        """Listen on loopback, at a free port."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.target = urlsplit(endpoint)

    def fault(self, request: Request) -> str | None:
        """Decide what is to go wrong with a call."""
        del request
        return None


class ExpiringSession(Proxy):
    """Refuses everything after so many calls, as AWS does once a session has ended."""

    def __init__(self, endpoint: str, calls: int) -> None:
        """Take how many."""
        super().__init__(endpoint)
        self._deciding = threading.Lock()
        self.calls, self.made = calls, 0

    @property
    def is_over(self) -> bool:
        """Return whether a call was refused."""
        return self.made > self.calls

    def fault(self, request: Request) -> str | None:
        """Count a call."""
        del request
        with self._deciding:
            self.made += 1
            return "expired" if self.is_over else None


class FaultyProxy(Proxy):
    """Hands most calls on."""

    def __init__(self, endpoint: str, seed: int, faults: tuple[str, ...], lost: str | None) -> None:
        """Begin to count."""
        super().__init__(endpoint)
        self.random = random.Random(seed)
        self.faults = faults
        self.lost = lost
        self.deciding = threading.Lock()
        self.counts: Counter[str] = Counter()

    def fault(self, request: Request) -> str | None:
        """Decide about one call."""
        with self.deciding:
            if self.lost is not None:
                return self._first_of_lost(request)
            fault = self.random.choice(self.faults) if self.random.random() < SHARE else None
            self.counts[fault or "handed on"] += 1
            return fault

    def _first_of_lost(self, request: Request) -> str | None:
        target = str(request.headers.get("X-Amz-Target", "")).rpartition(".")[2]
        is_lost = target == self.lost or f"Action={self.lost}&".encode() in request.body
        first = is_lost and not self.counts["reset after"]
        self.counts["reset after"] += first
        return "reset after" if first else None


class Handler(BaseHTTPRequestHandler):
    """One call."""

    server: Proxy
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name of the base class
        """Say nothing."""

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self.server.fault(Request(self.command, self.path, self.headers, body))
        if fault == "late":
            time.sleep(_LATE_S)
        if fault == "throttled":
            status, headers, content = _throttled(dict(self.headers), body)
            self._answer(status, [*headers, _AGAIN], content)
        elif fault == "expired":
            self._answer(*_expired(dict(self.headers), body))
        elif fault == "server error":
            self._answer(503, [_AGAIN], b"")
        elif fault == "reset before":
            self._reset()
        else:
            status, headers, content = self._hand_on(body)
            if fault == "reset after":
                self._reset()
            else:
                self._answer(status, headers, content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do_PATCH = _handle  # noqa: N815  names of the base class

    def _hand_on(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        target = self.server.target
        connection = http.client.HTTPConnection(str(target.hostname), target.port or 80, timeout=300)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() != "expect"}
            connection.request(self.command, self.path, body=body or None, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in _OWN_HEADERS:
                self.send_header(name, value)
        length = next((value for name, value in headers if name.lower() == "content-length"), str(len(content)))
        self.send_header("Content-Length", length if self.command == "HEAD" else str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _reset(self) -> None:
        """End the connection the hard way."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def _throttled(headers: dict[str, str], body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the answer of a service that is asked too often, in its own protocol.

    Their codes: https://docs.aws.amazon.com/boto3/latest/guide/retries.html
    """
    if any(name.lower() == "x-amz-target" for name in headers):
        kind = [("Content-Type", "application/x-amz-json-1.1")]
        return 400, kind, b'{"__type": "ThrottlingException", "message": "Rate exceeded"}'
    kind = [("Content-Type", "text/xml")]
    if b"Version=2016-11-15" in body:
        error = b"<Errors><Error><Code>RequestLimitExceeded</Code><Message>Rate exceeded</Message></Error></Errors>"
        return 503, kind, b"<Response>" + error + b"<RequestID>0</RequestID></Response>"
    if b"Action=" in body:
        error = b"<Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error>"
        return 400, kind, b"<ErrorResponse>" + error + b"<RequestId>0</RequestId></ErrorResponse>"
    return 503, kind, b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


def _expired(headers: dict[str, str], body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return the answer to whoever has credentials that have expired: the same shape, and no use in asking again."""
    if KEY_HEADER.lower() in {name.lower() for name in headers}:
        return 401, [("Content-Type", "application/json")], b'{"reason": "Unauthorized", "message": "Unauthorized"}'
    if "/eks/aws4_request" in headers.get("Authorization", ""):
        kind = [("Content-Type", "application/json"), ("x-amzn-errortype", "ExpiredTokenException")]
        return 403, kind, b'{"message": "' + _EXPIRED + b'"}'
    _, kind, content = _throttled(headers, body)
    for code, expired in _EXPIRED_CODES.items():
        content = content.replace(code, expired)
    for text in (b"Rate exceeded", b"Reduce your request rate."):
        content = content.replace(text, _EXPIRED)
    return 400, kind, content


@contextmanager
def faulty_proxy(
    endpoint: str, seed: int = 1, *, faults: tuple[str, ...] = FAULTS, lost: str | None = None
) -> Iterator[tuple[str, Counter[str]]]:
    """Hand out the address of a proxy before an endpoint, and what it has done so far.

    With ``lost``, such as UpdateStack, nothing fails but the first answer to such a call.
    """
    with FaultyProxy(endpoint, seed, faults, lost) as proxy, served(proxy) as address:
        yield address, proxy.counts


@contextmanager
def served(proxy: Proxy) -> Iterator[str]:
    """Let a proxy work in a thread, and hand out its address."""
    thread = threading.Thread(target=proxy.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{proxy.server_address[1]}"
    finally:
        proxy.shutdown()
        thread.join()
