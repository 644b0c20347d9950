"""A part of time as people write it: 1h, 2026-05-06T13:25."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.errors import InputError

_AGO = re.compile(r"([0-9]{1,7})\s*([smhdw])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class Period(NamedTuple):
    """From a moment on, and before another; in milliseconds since 1970."""

    since_ms: int | None = None
    until_ms: int | None = None


def period(since: str | None, until: str | None, now_s: float) -> Period:
    """Return the period that two texts mean. Raises InputError where one is no time, or it ends before it begins."""
    limits = Period(moment_ms(since, now_s, "--since"), moment_ms(until, now_s, "--until"))
    if limits.since_ms is not None and limits.until_ms is not None and limits.since_ms >= limits.until_ms:
        raise InputError(
            f"--until {until} is not after --since {since}",
            where="--until",
            hint="times without a zone are UTC, and 1h means an hour ago",
        )
    return limits


def moment_ms(text: str | None, now_s: float, where: str) -> int | None:
    """Return the moment that a text means: so long ago, or a time, in UTC where it names no zone."""
    if text is None:
        return None
    if match := _AGO.fullmatch(text.strip()):
        return max(int((now_s - int(match[1]) * _UNIT_S[match[2]]) * 1000), 0)
    try:
        at = datetime.fromisoformat(text.strip())
        return max(int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000), 0)
    except (ValueError, OverflowError) as error:
        hint = "write 90s, 30m, 1h or 2d for so long ago, or a time such as 2026-05-06T13:25, which is UTC"
        raise InputError(f"{text!r} is no time", where=where, hint=hint) from error
