"""What NCCL itself says of a job: GPUs that do not answer, and communicators that do not get on.

Each process of NCCL has a thread for its RAS subsystem, and one on each node listens on this port of the node alone. It
asks all processes of the job, so one node of a job is enough: the one with rank 0. The others only look whether
anybody listens, and ask more and more seldom. JSON there is since NCCL 2.28.7.
https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/ras.html
https://github.com/NVIDIA/nccl/blob/master/src/ras/client_support.cc
"""

from __future__ import annotations

import json
import socket
import time
from io import BufferedReader

from trainyard_node.collectors.nccl_ras_status import Counts, RasStatus, add_status, ras_status
from trainyard_node.errors import NodeError
from trainyard_node.samples import Samples

# The default of NCCL_RAS_ADDR.
ADDRESS = ("localhost", 28028)
# NCCL waits so long for what a process does not say; the answer takes twice as long at most, in its own client.
_WAIT_S = 5
_DEADLINE_S = 12.0
# A rank has 600 bytes in each of its communicators: this is 26,000 of them. Whatever listens may write anything.
_MOST_BYTES = 16 * 2**20
_LONGEST_LINE = 256
_MOST_SKIPPED = 30


class NcclRasCollector:
    """Asks once a minute, and remembers the counts of the minute before: what counts on does not hang."""

    name = "nccl-ras"
    interval_s = 60.0
    deadline_s = 15.0

    def __init__(self, address: tuple[str, int] = ADDRESS) -> None:
        """Ask nothing yet."""
        self._address = address
        self._counts: Counts = {}
        self._skip = self._skipped = 0

    def collect(self) -> Samples:
        """Read once. Raises NodeError where what listens is no RAS that answers in JSON."""
        samples = Samples("nccl_ras")
        try:
            connection = socket.create_connection(self._address, timeout=2.0)
        except OSError:
            self._counts, self._skip, self._skipped = {}, 0, 0
            samples.add("trainyard_nccl_ras_listening", 0)
            return samples
        with connection:
            samples.add("trainyard_nccl_ras_listening", 1)
            if self._skipped < self._skip:
                self._skipped += 1
                return samples
            status = _asked(connection, self._counts)
        self._counts = status.counts
        if not _is_here(status.first_host):
            self._skip, self._skipped = min(2 * self._skip + 1, _MOST_SKIPPED), 0
            return samples
        self._skip = self._skipped = 0
        add_status(samples, status)
        return samples


def _asked(connection: socket.socket, before: Counts) -> RasStatus:
    try:
        text = _answer(connection)
        return ras_status(json.loads(text), before)
    except OSError as error:
        raise NodeError(f"NCCL's RAS does not answer ({error}): see whether the job still runs") from error
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NodeError(f"what listens on port {ADDRESS[1]} is no RAS of NCCL: {str(error)[:200]}") from error


def _answer(connection: socket.socket) -> bytes:
    """Return the answer in JSON. Raises OSError where it takes too long, NodeError where NCCL is too old."""
    end_s = time.monotonic() + _DEADLINE_S
    with connection.makefile("rb") as stream:
        for command in ("CLIENT PROTOCOL 2", f"TIMEOUT {_WAIT_S}", "SET FORMAT json"):
            connection.settimeout(_left_s(end_s))
            connection.sendall(f"{command}\n".encode())
            reply = stream.readline(_LONGEST_LINE)
            if not reply.startswith((b"OK", b"SERVER PROTOCOL ")):
                raise NodeError(f"NCCL does not know {command!r}: NCCL 2.28.7 or newer is needed, or NCCL_RAS_ENABLE=0")
        connection.settimeout(_left_s(end_s))
        connection.sendall(b"STATUS\n")
        return _rest(connection, stream, end_s)


def _rest(connection: socket.socket, stream: BufferedReader, end_s: float) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        connection.settimeout(_left_s(end_s))
        part = stream.read1(65536)
        if not part:
            return b"".join(parts)
        size += len(part)
        if size > _MOST_BYTES:
            raise NodeError("the job is too large: NCCL's RAS wrote more than 16 MiB about it")
        parts.append(part)


def _left_s(end_s: float) -> float:
    left_s = end_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError("it takes too long")
    return left_s


def _is_here(host: str) -> bool:
    """Return whether an address is one of this machine's: only those can be bound to."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, 0, type=socket.SOCK_DGRAM, flags=socket.AI_NUMERICHOST
        )[0]
        with socket.socket(family, kind, protocol) as bound:
            bound.bind(address)
    except (OSError, ValueError):
        return False
    return True
