"""Durations and lists of nodes, in words."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.foreign_text import word_or_quoted

_MOST = 5


def duration(seconds: float | None) -> str:
    """Return a time as people say it, such as 40 s, 3 min or 2 h 5 min."""
    if seconds is None:
        return "some time"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = int(seconds // 60)
    if minutes < 120:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h {minutes % 60} min" if hours < 48 else f"{hours // 24} days"


def short_list(names: Sequence[str]) -> str:
    """Return the first names of a list, and how many there are beyond."""
    beyond = len(names) - _MOST
    return ", ".join(map(word_or_quoted, names[:_MOST])) + (f" and {beyond} more" if beyond > 0 else "")
