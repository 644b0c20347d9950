"""Whether one cause can have brought about another, by what they are: timeline.py says which lines of it."""

from __future__ import annotations

from trainyard.diagnose.cause import Cause
from trainyard.diagnose.reasoning.cause_evidence import KIND_ORDER, SeenCause
from trainyard.diagnose.reasoning.thresholds import LinkKind, deciding

# What a symptom comes of that names no cause: what does name the symptom, says more.
_OF_SYMPTOMS = ("any", "consequence")


def link(earlier: SeenCause, later: SeenCause) -> LinkKind | None:
    """Return how the one can have brought about the other, by what they are and were; None where it cannot."""
    if earlier.cause.id == later.cause.id:
        return None
    kind, back = _kind(earlier.cause, later.cause), _kind(later.cause, earlier.cause)
    is_named = kind == "cause" and back in _OF_SYMPTOMS
    if kind is None or (back is not None and not is_named and not _goes_first(earlier, later)):
        return None
    return deciding().links[kind]


def _kind(earlier: Cause, later: Cause) -> str | None:
    """Return the kind of link that data allow.

    A warning explains an error only where that names what was warned of: its subject is not enough. Nor is that of a
    symptom, which says that something failed and not what.
    """
    if later.kind == "root" or "harmless" in (earlier.severity, later.severity):
        return None
    only_warned = (earlier.severity, later.severity) == ("warning", "error")
    if earlier.id in later.after:
        return "cause"
    if only_warned or earlier.kind == "symptom":
        return None
    if earlier.subject in later.after:
        return "subject"
    if later.kind != "symptom":
        return None
    return "consequence" if earlier.kind == "consequence" else "any"


def _goes_first(one: SeenCause, other: SeenCause) -> bool:
    """Tell which of two that could each have brought about the other did: the deeper one, or the one seen first."""
    return _place(one) < _place(other)


def _place(seen: SeenCause) -> tuple[int, float, str]:
    first = seen.first
    return (KIND_ORDER[seen.cause.kind], first.timestamp() if first is not None else 0.0, seen.cause.id)
