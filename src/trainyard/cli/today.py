"""The day on which facts are judged: today or, for tests and for looking ahead, that of TRAINYARD_TODAY."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime

from trainyard.errors import InputError

VARIABLE = "TRAINYARD_TODAY"


def today() -> date:
    """Return the day in UTC. Raises InputError where the variable is no date."""
    written = os.environ.get(VARIABLE)
    if not written:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(written)
    except ValueError as error:
        raise InputError(f"{VARIABLE} is {written!r}", hint="write a date such as 2026-11-22, or unset it") from error
