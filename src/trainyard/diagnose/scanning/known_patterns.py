"""The patterns of signatures and that of lines which state a version, together: each log is searched once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from trainyard.diagnose.cause import Cause, Signature, signatures
from trainyard.diagnose.scanning.patterns import Patterns
from trainyard.diagnose.stated_versions import STATES_VERSION, any_version


def patterns_of(signature_table: Mapping[str, tuple[Signature, Cause]]) -> Patterns:
    """Return the patterns of signatures. Those of all signatures are compiled once, however many scans there are."""
    return _all_patterns() if signature_table is signatures() else _patterns(signature_table)


@cache
def _all_patterns() -> Patterns:
    return _patterns(signatures())


def _patterns(signature_table: Mapping[str, tuple[Signature, Cause]]) -> Patterns:
    return Patterns(signature_table, others={STATES_VERSION: any_version()})
