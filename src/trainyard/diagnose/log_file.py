"""A log, wherever it comes from, and what its name tells."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass


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
