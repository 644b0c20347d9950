"""Ports of this machine."""

from __future__ import annotations

import errno
import socket

from trainyard.errors import InputError


def require_free_port(port: int, hint: str) -> None:
    """Raise InputError where nothing can listen at a port of 127.0.0.1, because something does or may not."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Go's net.Listen does, by which session-manager-plugin listens: a port that was used a moment ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            why = "something listens there already" if error.errno == errno.EADDRINUSE else str(error.strerror)
            raise InputError(
                f"port {port} of this machine cannot be used: {why}", where="--forward", hint=hint
            ) from None
