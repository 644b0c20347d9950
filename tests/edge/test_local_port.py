"""Ports of this machine."""

from __future__ import annotations

import socket

import pytest

from trainyard.edge.local_port import require_free_port
from trainyard.errors import InputError

pytestmark = pytest.mark.enable_socket


def test_a_port_is_free_until_something_listens_there():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.listen()
        with pytest.raises(InputError, match=f"port {port} of this machine cannot be used: something listens") as told:
            require_free_port(port, "choose another")
        assert told.value.hint == "choose another"
    require_free_port(port, "choose another")
