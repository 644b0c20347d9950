"""The kinds of findings of `trainyard monitor verify`, from findings.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from trainyard.finding_kinds import finding_of, kinds_beside


def kinds() -> Mapping[str, Mapping[str, str]]:
    """Return severity, title, rationale, remedy and source of each kind of finding, by its id."""
    return kinds_beside(Path(__file__))


finding = partial(finding_of, kinds())
"""Returns a finding of one of these kinds."""
