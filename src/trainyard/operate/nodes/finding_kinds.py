"""The kinds of findings about nodes, from findings.yaml: what each means, how bad it is, and what to do."""

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
