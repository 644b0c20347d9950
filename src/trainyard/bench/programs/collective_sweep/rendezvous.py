"""How ranks find each other: a file in a folder that all of them see says where rank 0 listens."""

from __future__ import annotations

import json
import os
import secrets
import socket
import time
from pathlib import Path
from typing import NamedTuple

WITHIN_S = 120.0
_MOST_BYTES = 1 << 20


class RendezvousAddress(NamedTuple):
    """Where rank 0 listens, and the word that only those who read the file know."""

    address: str
    port: int
    token: str


class MeetingError(Exception):
    """The ranks did not come together."""


def own_address() -> str:
    """Return the address of this node.

    Where its name leads only to itself, the one that srun gives: rank 0 runs on the node that started it.
    https://slurm.schedmd.com/srun.html (SLURM_LAUNCH_NODE_IPADDR)
    """
    try:
        by_name = socket.gethostbyname(socket.gethostname())
    except OSError:
        by_name = "127.0.0.1"
    if by_name.startswith("127."):
        return os.environ.get("SLURM_LAUNCH_NODE_IPADDR") or by_name
    return by_name


def announce(file: Path, address: str, port: int) -> RendezvousAddress:
    """Write where rank 0 listens, whole or not at all, readable for its user only."""
    place = RendezvousAddress(address, port, secrets.token_hex(16))
    new = file.with_name(f".{file.name}.new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        json.dump(list(place), stream)
    new.replace(file)
    return place


def find(file: Path, within_s: float = WITHIN_S) -> RendezvousAddress:
    """Return what rank 0 has written, once it has. Raises MeetingError where that takes too long."""
    end = time.monotonic() + within_s
    while True:
        try:
            address, port, token = json.loads(file.read_text())
            return RendezvousAddress(address, port, token)
        except (OSError, ValueError):
            if time.monotonic() > end:
                raise MeetingError(f"rank 0 has not written {file} within {within_s:.0f} s") from None
            time.sleep(0.05)


def connect(address: str, port: int, within_s: float = WITHIN_S) -> socket.socket:
    """Return a connection. Raises MeetingError where nobody answers."""
    end = time.monotonic() + within_s
    while True:
        try:
            connection = socket.create_connection((address, port), timeout=within_s)
        except OSError as error:
            if time.monotonic() > end:
                raise MeetingError(f"{address}:{port} does not answer: {error}") from error
            time.sleep(0.1)
        else:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection


def listen(address: str) -> socket.socket:
    """Return a socket that listens on one address of this node, where the system finds room."""
    connection = socket.socket()
    connection.bind((address, 0))
    connection.listen(1024)
    connection.settimeout(WITHIN_S)
    return connection


def accept(listening: socket.socket) -> socket.socket:
    """Return the next connection. Raises MeetingError where none comes."""
    try:
        connection, _ = listening.accept()
    except OSError as error:
        raise MeetingError(f"a rank has not come: {error}") from error
    connection.settimeout(WITHIN_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def say(to: socket.socket, value: object) -> None:
    """Send a value."""
    to.sendall(json.dumps(value).encode() + b"\n")


def hear(source: socket.socket) -> object:
    """Return the next value that the other side says. Raises MeetingError where it says none."""
    received = bytearray()
    while not received.endswith(b"\n"):
        part = source.recv(1) if len(received) < _MOST_BYTES else b""
        if not part:
            raise MeetingError("a rank went away while they met")
        received += part
    return json.loads(received)
