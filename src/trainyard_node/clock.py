"""The time, as something that tests replace."""

from __future__ import annotations

import time
from datetime import datetime, timezone
from typing import Protocol


class Clock(Protocol):
    """A clock."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        ...

    def seconds(self) -> float:
        """Return seconds that only ever grow."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class RealClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        """Return the time of day, in UTC."""
        return datetime.now(timezone.utc)

    def seconds(self) -> float:
        """Return seconds since some time."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def in_words(moment: datetime) -> str:
    """Return a time as records write it, such as 2026-11-21T12:00:00Z."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
