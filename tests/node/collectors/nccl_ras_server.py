"""What a process of NCCL does on its RAS port, on a port of its own: answers commands, and ends after the status.

By src/ras/client_support.cc of NCCL 2.30: https://github.com/NVIDIA/nccl/blob/master/src/ras/client_support.cc
"""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class RasServer(socketserver.ThreadingTCPServer):
    """Gives ``answer`` to STATUS, and remembers what it was asked."""

    daemon_threads = True
    answer: bytes = b"{}"
    knows_json = True

    def __init__(self) -> None:
        self.commands: list[str] = []
        super().__init__(("127.0.0.1", 0), _Client)

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.server_address[1]


class _Client(socketserver.StreamRequestHandler):
    server: RasServer

    def handle(self) -> None:
        for line in self.rfile:
            command = line.decode().strip()
            self.server.commands.append(command)
            if command == "STATUS":
                self.wfile.write(self.server.answer)
                return
            self.wfile.write(self._reply(command.lower()))

    def _reply(self, command: str) -> bytes:
        if command.startswith("client protocol "):
            return b"SERVER PROTOCOL 2\n"
        if command.startswith("set format ") and not self.server.knows_json:
            return f"ERROR: Unknown command {command}\n".encode()
        return b"OK\n"


@contextmanager
def ras_server() -> Iterator[RasServer]:
    with RasServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
