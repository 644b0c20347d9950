"""What a cluster has that the one which takes over from it would not have."""

from __future__ import annotations

from typing import NamedTuple


class ReplacementLoss(NamedTuple):
    """One thing that people would miss."""

    name: str
    """By which ``--give-up`` names it."""
    what: str
    remedy: str

    def __str__(self) -> str:
        """Say it on one line."""
        return f"{self.what}; {self.remedy}"
