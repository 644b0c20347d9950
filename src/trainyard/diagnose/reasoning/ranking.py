"""Which of the causes comes first: the one that explains most, by the surest lines, of what is not yet over."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.diagnose.reasoning.attribution import Root
from trainyard.diagnose.reasoning.cause_evidence import KIND_ORDER, in_time, sureness
from trainyard.diagnose.reasoning.thresholds import deciding


def ranked(roots: Sequence[Root]) -> list[Root]:
    """Return roots, the first of which is the answer. Warnings never come before errors."""
    return sorted(roots, key=lambda root: (_class(root, roots), *_order(root)))


def score(root: Root) -> float:
    """Return how much a root explains, itself included, times how sure its surest line is."""
    sure = max(deciding().confidence[sureness(root.seen.cause, hit)] for hit in root.seen.hits)
    return sure * (1 + sum(weight * root.shares[id_] for id_, weight in root.weights.items()))


def _order(root: Root) -> tuple[float, int, tuple[float, str, int], str]:
    cause = root.seen.cause
    return (-score(root), KIND_ORDER[cause.kind], in_time(root.seen.hits[0]), cause.id)


def _class(root: Root, roots: Sequence[Root]) -> int:
    """Return the class of a root: errors, warnings of which errors came, generic errors, symptoms, and the rest.

    The rest is errors that had ended long before, and then warnings.
    """
    cause = root.seen.cause
    if cause.severity != "error":
        return 1 if root.explains_errors else 5
    if any(_is_over(root, other) for other in roots):
        return 4
    if cause.kind == "symptom":
        return 3
    return 2 if cause.subject in deciding().generic else 0


def _is_over(root: Root, other: Root) -> bool:
    """Return whether a root had long been over when another began that explains at least as much.

    A symptom has to explain more: it says that something failed, and not what.
    """
    ended, began = root.last, other.first
    if other.seen.cause.severity != "error" or ended is None or began is None:
        return False
    own, others = sum(root.weights.values()), sum(other.weights.values())
    enough = others > own if other.seen.cause.kind == "symptom" else others >= own
    return enough and ended + deciding().over_after < began
