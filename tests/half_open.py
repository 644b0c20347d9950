"""Connections that ask nothing, or not to the end, as attacks and programs that hang leave them."""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Iterator

COUNT = 1500
_BEGINNINGS = (b"", b"G", b"GET /metrics HT", b"GET /metrics HTTP/1.1\r\nHost: ")


@contextlib.contextmanager
def half_open_connections(port: int) -> Iterator[None]:
    """Hold them open to a port of this machine until the end of the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)  # both ends are files of this process
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 3 * COUNT)), hard))
    try:
        with contextlib.ExitStack() as connections:
            for number in range(COUNT):
                connection = connections.enter_context(socket.create_connection(("127.0.0.1", port)))
                with contextlib.suppress(OSError):  # it was closed already
                    connection.sendall(_BEGINNINGS[number % len(_BEGINNINGS)])
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
