"""Bytes that come in blocks, taken in the amounts that a format asks for. Nothing is sought and little is held."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from trainyard.edge.archive_limits import DamagedError


class ByteStream:
    """Bytes that are read once, from front to end."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        """Take blocks of any size. An error of theirs ends the stream; reading on raises it again."""
        self._blocks = blocks
        self._block = b""
        self._place = 0
        self._error: DamagedError | None = None

    def peek(self, count: int) -> bytes:
        """Return the next bytes, as many as there are up to a count, and leave them. It raises nothing."""
        with suppress(DamagedError):  # what stands before the damage comes first
            while len(self._block) - self._place < count and (block := self._next()):
                self.give_back(block, behind=True)
        return self._block[self._place : self._place + count]

    def take(self, count: int) -> bytes:
        """Return the next bytes, fewer only at the end."""
        taken = self.peek(count)
        if len(taken) < count and self._error:
            raise self._error
        self._place += len(taken)
        return taken

    def give_back(self, taken: bytes, *, behind: bool = False) -> None:
        """Put bytes before those that come next, or behind those that were not taken yet."""
        start = self._place - len(taken)
        if not behind and start >= 0 and self._block.startswith(taken, start):
            self._place = start  # it was taken from here
            return
        left = self._block[self._place :]
        self._block, self._place = (left + taken if behind else taken + left), 0

    def pieces(self, count: int) -> Iterator[bytes]:
        """Yield so many bytes in pieces. Raises DamagedError where there are fewer."""
        while count:
            piece = self._piece(count)
            if not piece:
                raise DamagedError("it ends too early")
            count -= len(piece)
            yield piece

    def rest(self) -> Iterator[bytes]:
        """Yield all that is left, in blocks."""
        while piece := self._piece(None):
            yield piece

    def _piece(self, most: int | None) -> bytes:
        """Return what is left of a block, or the next one; not more than so many bytes."""
        if self._place == len(self._block):
            self._block, self._place = self._next(), 0
        end = len(self._block) if most is None else min(len(self._block), self._place + most)
        piece = self._block[self._place : end]
        self._place = end
        return piece

    def _next(self) -> bytes:
        if self._error:
            raise self._error
        try:
            # A block may be empty, and is not the end.
            return next((block for block in self._blocks if block), b"")
        except DamagedError as error:
            self._error = error
            raise
