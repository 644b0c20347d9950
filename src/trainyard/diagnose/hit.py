"""A line that a signature found."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple


class Hit(NamedTuple):
    """A line that a signature found, and where and when."""

    signature: str
    """Its id."""
    file: str
    line: int
    """From 1."""
    text: str
    """The line without its end, decoded, and cut where it is very long; what a terminal would obey is still in it."""
    time: dt.datetime | None
    """With its zone; that of the line itself, or of the nearest line before it that has one."""
    node: str | None
    """The host of the log, from its name or from the line; None where neither tells."""
