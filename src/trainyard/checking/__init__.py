"""Checking: runs rules and outside validators over files, and turns their paths into lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trainyard.finding_kinds import FindingKind, kinds_beside


def load_errors() -> Mapping[str, FindingKind]:
    """Return the kinds of findings about input that cannot be read or judged, by their ids."""
    return kinds_beside(Path(__file__))
