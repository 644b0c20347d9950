"""Something to look at."""

from __future__ import annotations

from typing import NamedTuple


class Concern(NamedTuple):
    """Something to look at, and the command to run next."""

    severity: str
    """error where the cluster is not up because of it, otherwise warning."""
    what: str
    command: str | None = None
