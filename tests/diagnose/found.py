"""What signatures say of single lines, without the scanner: the plain meaning that it has to keep."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import re2  # type: ignore[import-untyped]  # it has no stubs

from trainyard.diagnose.cause import CONFIDENCES, KINDS, SEVERITIES, Cause, Signature, causes, signatures
from trainyard.diagnose.reasoning.cause_evidence import thresholds

# What one automaton of all patterns may take.
MEMORY_BYTES = 512 * 1024**2


def found_by(signature: Signature, line: str) -> bool:
    """Return whether a signature finds a line."""
    return matches_pattern(signature.expression, line)


def matches_pattern(pattern: str, line: str) -> bool:
    """Return whether a pattern finds a line."""
    return bool(_compiled(pattern).search(line))


def signatures_of_line(line: str) -> list[Signature]:
    """Return the signatures that a line tells of. Harmless ones silence all others."""
    known = [signature for signature, _ in signatures().values()]
    found = [known[place] for place in sorted(_all_patterns().Match(line) or ())]
    harmless = [one for one in found if signatures()[one.id][1].severity == "harmless"]
    return harmless or found


def causes_of_line(line: str) -> list[Cause]:
    """Return the causes that a line tells of, each once."""
    return list({signatures()[one.id][1].id: signatures()[one.id][1] for one in signatures_of_line(line)}.values())


def causes_of_lines(lines: Iterable[str]) -> list[Cause]:
    """Return the causes that lines tell of, the generic ones last: by kind, severity, confidence, and line."""
    best: dict[str, tuple[int, ...]] = {}
    for number, line in enumerate(lines):
        for signature in signatures_of_line(line):
            cause = signatures()[signature.id][1]
            rank = _rank(cause, signature, number)
            best[cause.id] = min(rank, best.get(cause.id, rank))
    return [causes()[id_] for id_ in sorted(best, key=lambda id_: best[id_])]


def _rank(cause: Cause, signature: Signature, number: int) -> tuple[int, ...]:
    return (
        cause.subject in thresholds().generic,
        list(KINDS).index(cause.kind),
        list(SEVERITIES).index(cause.severity),
        list(CONFIDENCES).index(signature.confidence),
        number,
    )


@cache
def _all_patterns() -> re2.Set:
    """Return all patterns in one set, in the order of the signatures."""
    options = re2.Options()
    options.max_mem = MEMORY_BYTES
    found = re2.Set.SearchSet(options)
    for signature, _ in signatures().values():
        found.Add(signature.expression)
    found.Compile()
    return found


@cache
def _compiled(pattern: str) -> re2._Regexp[str]:
    return re2.compile(pattern)
