"""What a scan has found."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.diagnose.hit import Hit
from trainyard.diagnose.log_file import Unread
from trainyard.diagnose.scanning.filtered_out import LeftOut


class Progress(NamedTuple):
    """How far a scan is."""

    files: int
    size_bytes: int
    """Unpacked."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one signature has found on one node."""

    signature: str
    node: str | None
    count: int
    """Of lines, also of those that are not kept."""
    first_seen: dt.datetime | None
    last_seen: dt.datetime | None
    hits: tuple[Hit, ...]
    """Some of the lines: the earliest, then the latest."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What signatures have found in all logs of a source."""

    seen: tuple[Seen, ...]
    """In the order of the signatures, then in that in which nodes came up."""
    files: int
    size_bytes: int
    """Unpacked."""
    unread: tuple[Unread, ...]
    """The first of what could not be read."""
    unread_count: int
    left_out: LeftOut | None = None
    """What was found and not asked for; None where everything was."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All lines that were kept."""
        return tuple(hit for one in self.seen for hit in one.hits)
