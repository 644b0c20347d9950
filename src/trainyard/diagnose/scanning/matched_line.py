"""A line of a piece in which something was found."""

from __future__ import annotations

from typing import NamedTuple


class MatchedLine(NamedTuple):
    """A line, and what finds it."""

    number: int
    start: int
    """Where it begins in its piece."""
    end: int
    at: int
    """Where in it, or near, the first pattern found something."""
    ids: tuple[str, ...]
