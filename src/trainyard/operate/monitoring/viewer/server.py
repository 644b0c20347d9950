"""The server of the page, on 127.0.0.1 alone."""

from __future__ import annotations

import sys
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from trainyard.errors import InputError
from trainyard.operate.monitoring.viewer.answers import Answers
from trainyard.operate.monitoring.viewer.handler import Handler

if TYPE_CHECKING:
    from trainyard.operate.monitoring.viewer.source import Source

HOST = "127.0.0.1"


class Viewer(ThreadingHTTPServer):
    """Serves the dashboards of one Prometheus."""

    daemon_threads = True
    # A browser opens several connections at once.
    request_queue_size = 64

    def __init__(self, api: Source, port: int = 0) -> None:
        """Listen at a port, 0 for any that is free. Raises InputError where it is taken."""
        try:
            super().__init__((HOST, port), Handler)
        except (OSError, OverflowError) as error:
            hint = "choose another with --port, or --port 0 for any that is free"
            said = getattr(error, "strerror", None) or error
            raise InputError(f"port {port} cannot be used: {said}", where="--port", hint=hint) from error
        self.answers = Answers(api)

    @property
    def port(self) -> int:
        """Return the port that it has."""
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        """Return where the page is."""
        return f"http://{HOST}:{self.port}/"

    def server_close(self) -> None:
        """Stop listening, and ask nothing more."""
        super().server_close()
        if hasattr(self, "answers"):  # not where the port was taken
            self.answers.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that hang up; a bug keeps its traceback."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)
