"""The kinds of findings of `trainyard monitor verify`, from findings.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from trainyard.finding_kinds import FindingKind, finding_of, kinds_beside


def kinds() -> Mapping[str, FindingKind]:
    """Return the kinds by their ids."""
    return kinds_beside(Path(__file__))


finding = partial(finding_of, kinds())
"""Returns a finding of one of these kinds."""
