"""A publisher of files on this machine, over HTTP or HTTPS, that can be told what to do wrong."""

from __future__ import annotations

import hashlib
import ipaddress
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Fault:
    """What one answer does wrong."""

    status: int = 200
    to: str | None = None
    """Where a redirect leads."""
    only_bytes: int | None = None
    """How much is sent before the connection ends."""
    claims_bytes: int | str | None = None
    """The length that is claimed instead of the right one."""
    claims_length: bool = True
    chunked: bool = False
    silent: bool = False
    """Whether nothing comes until the test is over."""
    part_from: int | None = None
    """Where a part begins that was not asked for."""


@dataclass
class Publisher:
    """Files by path. Each request to a path takes the next of its faults, and none once they are used up."""

    files: dict[str, bytes] = field(default_factory=dict)
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)
    """Path and range of everything that was asked for."""
    tagged: bool = True
    weakly: bool = False
    """Whether the tags do not tell bytes apart."""
    base: str = ""
    over: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        return self.base + path

    def etag(self, path: str) -> str:
        return f'{"W/" if self.weakly else ""}"{hashlib.sha256(self.files[path]).hexdigest()[:16]}"'


@contextmanager
def publishing(tls: ssl.SSLContext | None = None) -> Iterator[Publisher]:
    """Run a publisher, with a certificate where one is given."""
    publisher = Publisher()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            _answer(self, publisher)

        def log_message(self, *_: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Say nothing: clients that hang up are what these tests are about."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    publisher.base = f"{'http' if tls is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield publisher
    finally:
        publisher.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(request: BaseHTTPRequestHandler, publisher: Publisher) -> None:
    path, asked = request.path, request.headers["Range"]
    publisher.requests.append((path, asked))
    waiting = publisher.faults.get(path, [])
    fault = waiting.pop(0) if waiting else Fault()
    if fault.silent:
        publisher.over.wait(10)
        request.close_connection = True
        return
    if fault.to is not None or fault.status >= 400 or path not in publisher.files:
        _empty(request, fault if fault.to is not None or fault.status >= 400 else Fault(404))
        return
    body, status, start = publisher.files[path], 200, 0
    if asked and request.headers["If-Range"] == publisher.etag(path):
        start, status = int(asked.removeprefix("bytes=").rstrip("-")), 206
    if fault.part_from is not None:
        start, status = fault.part_from, 206
    if status == 206 and start >= len(body):
        _empty(request, Fault(416))
        return
    request.send_response(status)
    if status == 206:
        request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
    if publisher.tagged:
        request.send_header("ETag", publisher.etag(path))
    _send(request, fault, body[start:])


def _empty(request: BaseHTTPRequestHandler, fault: Fault) -> None:
    request.send_response(fault.status)
    if fault.to is not None:
        request.send_header("Location", fault.to)
    request.send_header("Content-Length", "0")
    request.end_headers()


def _send(request: BaseHTTPRequestHandler, fault: Fault, body: bytes) -> None:
    if fault.chunked:
        request.send_header("Transfer-Encoding", "chunked")
    elif fault.claims_length:
        request.send_header("Content-Length", str(len(body) if fault.claims_bytes is None else fault.claims_bytes))
    request.end_headers()
    sent = body if fault.only_bytes is None else body[: fault.only_bytes]
    if fault.chunked:
        request.wfile.write(f"{len(body):x}\r\n".encode() + sent)
        if fault.only_bytes is None:
            request.wfile.write(b"\r\n0\r\n\r\n")
    else:
        request.wfile.write(sent)
    request.close_connection = (
        fault.only_bytes is not None or fault.claims_bytes is not None or not (fault.claims_length or fault.chunked)
    )


def certificate(folder: Path) -> ssl.SSLContext:
    """Return what a server on this machine needs for TLS. Its certificate, certificate.pem, vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "publisher")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context
