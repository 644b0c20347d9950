"""The time in an emulated account, which tests may move: reservations begin and end by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass
class Ahead:
    """How far this clock is ahead of the real one."""

    seconds: float = 0.0


AHEAD = Ahead()


def now() -> datetime:
    """Return the time in the account."""
    return datetime.now(UTC) + timedelta(seconds=AHEAD.seconds)
