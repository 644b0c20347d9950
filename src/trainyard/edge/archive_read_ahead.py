"""Blocks that are made by a thread while the ones before are worked on: unpacking takes as long as looking through."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Full, Queue

# So many pieces of 1 MiB wait at most.
_PIECES = 6
_LOOK_EVERY_S = 0.1


class _End:
    """The last thing in the queue: that there is no more, and what went wrong."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def read_ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same blocks, made by a thread that ends with this generator. What they raise is raised here."""
    queue: Queue[bytes | _End] = Queue(_PIECES)
    given_up = threading.Event()
    thread = threading.Thread(target=_fill, args=(queue, blocks, given_up), name="unpacking", daemon=True)
    thread.start()
    try:
        while not isinstance(one := queue.get(), _End):
            yield one
        if one.error:
            raise one.error
    finally:
        given_up.set()
        thread.join(_LOOK_EVERY_S * 5)  # it may wait for standard input


def _fill(queue: Queue[bytes | _End], blocks: Iterator[bytes], given_up: threading.Event) -> None:
    end = _End(None)
    try:
        for block in blocks:
            if not _put(queue, block, given_up):
                return
    except BaseException as error:  # noqa: BLE001  raised where the blocks are used
        end = _End(error)
    _put(queue, end, given_up)


def _put(queue: Queue[bytes | _End], one: bytes | _End, given_up: threading.Event) -> bool:
    while not given_up.is_set():
        try:
            queue.put(one, timeout=_LOOK_EVERY_S)
        except Full:
            continue
        return True
    return False
