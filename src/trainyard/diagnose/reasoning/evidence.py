"""The lines that are shown for a cause: few, and the most telling first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from trainyard.diagnose.cause import Cause
from trainyard.diagnose.hit import Hit
from trainyard.diagnose.reasoning.cause_evidence import CONFIDENCE_ORDER, in_time, sureness

MOST = 10


def evidence(cause: Cause, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return lines: the first of each signature, the first of each node, and then others, the surest first."""
    ordered = sorted(hits, key=lambda hit: (CONFIDENCE_ORDER[sureness(cause, hit)], *in_time(hit)))
    firsts = _firsts(ordered, lambda hit: hit.signature) + _firsts(ordered, lambda hit: hit.node)
    by_place = {(hit.file, hit.line): hit for hit in reversed([*firsts, *ordered])}
    order = dict.fromkeys((hit.file, hit.line) for hit in [*firsts, *ordered])
    return tuple(by_place[place] for place in order)[:MOST]


def _firsts(hits: Iterable[Hit], of: Callable[[Hit], Hashable]) -> list[Hit]:
    found: dict[Hashable, Hit] = {}
    for hit in hits:
        found.setdefault(of(hit), hit)
    return list(found.values())
