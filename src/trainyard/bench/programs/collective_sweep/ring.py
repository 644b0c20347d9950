"""An all-reduce over sockets, with nothing but the standard library: two turns around a ring of the ranks.

Each rank sends and receives 2(n-1)/n of the buffer, which is what bus bandwidth supposes:
https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
"""

from __future__ import annotations

import hmac
import select
import socket
from array import array
from operator import add
from pathlib import Path

from .rendezvous import MeetingError, accept, announce, connect, find, hear, listen, own_address, say

FLOAT_BYTES = 4
_QUIET_S = 120.0


class Ring:
    """The ranks, each with a connection to the next one and one from the former."""

    device = "CPU, TCP ring"
    note = "out of place: copied first, within the time"

    def __init__(self, rank: int, ranks: int, file: Path) -> None:
        """Meet the others. Raises MeetingError where they do not come."""
        self.rank, self.ranks = rank, ranks
        if ranks > 1:
            self._to_next, self._from_former = _neighbours(rank, ranks, file)

    def buffer(self, pattern: list[float], elements: int) -> array[float]:
        """Return a buffer with a pattern, again and again."""
        times = elements // len(pattern) + 1
        return (array("f", pattern) * times)[:elements]

    def copy(self, source: array[float], target: array[float]) -> None:
        """Make the target what the source is."""
        target[:] = source

    def reduce_to(self, source: array[float], target: array[float]) -> None:
        """Leave in the target the sum of what all ranks have in the source."""
        self.copy(source, target)
        self.reduce(target)

    def reduce(self, buffer: array[float]) -> None:
        """Leave in the buffer the sum of what all ranks have in it."""
        bounds = [len(buffer) * part // self.ranks for part in range(self.ranks + 1)]
        for step in range(self.ranks - 1):
            self._add_part(buffer, bounds, step)
        for step in range(self.ranks - 1):
            sent, received = (self.rank + 1 - step) % self.ranks, (self.rank - step) % self.ranks
            view = memoryview(buffer).cast("B")
            self._exchange(_of(view, bounds, sent), _of(view, bounds, received))

    def wrong(self, buffer: array[float], expected: array[float]) -> int:
        """Return how many elements are not as they should be."""
        return 0 if buffer == expected else sum(value != other for value, other in zip(buffer, expected))

    def finish(self) -> None:
        """Wait until everything has been done that was asked for: here it has."""

    def mean(self, value: float) -> float:
        """Return the mean over the ranks. All have to ask at the same time, and wait for each other."""
        values = array("f", [value] * self.ranks)
        self.reduce(values)
        return values[0] / self.ranks

    def close(self) -> None:
        """Leave the others."""
        if self.ranks > 1:
            self._to_next.close()
            self._from_former.close()

    def _add_part(self, buffer: array[float], bounds: list[int], step: int) -> None:
        sent, received = (self.rank - step) % self.ranks, (self.rank - step - 1) % self.ranks
        first, last = bounds[received], bounds[received + 1]
        arrived = array("f", bytes((last - first) * FLOAT_BYTES))
        self._exchange(_of(memoryview(buffer).cast("B"), bounds, sent), memoryview(arrived).cast("B"))
        buffer[first:last] = array("f", map(add, buffer[first:last], arrived))

    def _exchange(self, out: memoryview, into: memoryview) -> None:
        """Send and receive at the same time: two that only send to each other would wait for ever."""
        sent = received = 0
        while sent < len(out) or received < len(into):
            readers = [self._from_former] if received < len(into) else []
            writers = [self._to_next] if sent < len(out) else []
            readable, writable, _ = select.select(readers, writers, [], _QUIET_S)
            if not (readable or writable):
                raise MeetingError(f"rank {self.rank} has waited {_QUIET_S:.0f} s for its neighbours")
            if writable:
                sent += self._to_next.send(out[sent:])
            if readable:
                received += _received(self._from_former.recv_into(into[received:]))


def _received(count: int) -> int:
    if not count:
        raise MeetingError("a rank went away")
    return count


def _of(view: memoryview, bounds: list[int], part: int) -> memoryview:
    return view[bounds[part] * FLOAT_BYTES : bounds[part + 1] * FLOAT_BYTES]


def _neighbours(rank: int, ranks: int, file: Path) -> tuple[socket.socket, socket.socket]:
    """Return the connection to the next rank and the one from the former."""
    if rank == 0:
        own = listen(own_address())
        token, places = _gather(own, ranks, file)
    else:
        own, token, places = _join(rank, file)
    with own:
        to_next = connect(*places[(rank + 1) % ranks])
        say(to_next, [token, rank])
        from_former = _awaited(own, [token, (rank - 1) % ranks])
    for peer in (to_next, from_former):
        peer.settimeout(0)
    return to_next, from_former


def _gather(own: socket.socket, ranks: int, file: Path) -> tuple[str, list[tuple[str, int]]]:
    """Let all ranks come to rank 0, and tell each where all of them listen."""
    address, port = own.getsockname()
    place = announce(file, address, port)
    places, waiting = {0: (address, port)}, []
    try:
        while len(places) < ranks:
            came = accept(own)
            token, rank, listens_at, on_port = _four(hear(came))
            if hmac.compare_digest(token, place.token):
                places[rank] = (listens_at, on_port)
                waiting.append(came)
            else:
                came.close()
    finally:
        file.unlink(missing_ok=True)
    ordered = [places[rank] for rank in range(ranks)]
    for peer in waiting:
        with peer:
            say(peer, ordered)
    return place.token, ordered


def _join(rank: int, file: Path) -> tuple[socket.socket, str, list[tuple[str, int]]]:
    """Come to rank 0, say where this one listens, and hear where all do."""
    place = find(file)
    with connect(place.address, place.port) as zero:
        own = listen(zero.getsockname()[0])
        say(zero, [place.token, rank, *own.getsockname()])
        answer = hear(zero)
    if not isinstance(answer, list):
        raise MeetingError("rank 0 answers something else than addresses")
    return own, place.token, [(str(address), int(port)) for address, port in answer]


def _awaited(own: socket.socket, words: list[object]) -> socket.socket:
    """Return the connection of the one who says these words. Others are sent away."""
    while True:
        came = accept(own)
        if hear(came) == words:
            return came
        came.close()


def _four(message: object) -> tuple[str, int, str, int]:
    if not isinstance(message, list) or len(message) != 4:
        raise MeetingError("somebody else than a rank has come")
    return str(message[0]), int(message[1]), str(message[2]), int(message[3])
