"""A log, wherever it comes from, what its name tells, and what could not be read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

# More are not worth a user's time, and an archive can hold a million of them.
_MOST = 200


@dataclass(frozen=True, slots=True)
class LogFile:
    """One log. It may have to be read before the next one is asked for: archives are read once, from front to end."""

    name: str
    """Its path in the archive or folder, the name of its stream, or what the user called it."""
    blocks: Iterable[bytes]
    """What it holds, in pieces of any size, to be read once. Reading may raise UnreadableError."""
    written: dt.datetime | None = None
    """When it was last written, as far as known: many lines tell no year."""


class UnreadableError(Exception):
    """The rest of a log, or of everything, cannot be read. What was read before is still worth something."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that was not read, or not to its end, and why."""

    name: str
    why: str


class UnreadList:
    """Grows while a source is read."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.count = 0
        self._listed: list[Unread] = []

    @property
    def listed(self) -> tuple[Unread, ...]:
        """The first of them."""
        return tuple(self._listed)

    def add(self, name: str, why: str) -> None:
        """Count something that was not read, or not to its end, and keep it where there is room."""
        self.count += 1
        if len(self._listed) < _MOST:
            self._listed.append(Unread(name, why))
