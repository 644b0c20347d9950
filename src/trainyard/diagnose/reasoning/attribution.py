"""Which causes nothing else explains, and what each of them can have brought about."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trainyard.diagnose.cause import Cause, Hit
from trainyard.diagnose.reasoning.cause_evidence import KIND_ORDER, CauseHits, LinkKind, thresholds
from trainyard.diagnose.reasoning.place import serving_nodes
from trainyard.diagnose.reasoning.timeline import Logs, Mask, Timeline

_TURNED = bytes([1, 0, *range(2, 256)])
# What a symptom comes of that names no cause: what does name the symptom, says more.
_OF_SYMPTOMS = ("any", "consequence")
_OF_ONE_LOG = {"program", "layer", "near"}


@dataclass(frozen=True, slots=True)
class Root:
    """Lines of a cause that nothing explains, and all lines that they can explain."""

    cause_hits: CauseHits
    explains: Mapping[str, tuple[Hit, ...]] = field(default_factory=dict)
    """Lines of other causes, by the ids of those."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """What each of those counts for, by how it is linked."""
    shares: Mapping[str, float] = field(default_factory=dict)
    """Which part of the lines of each it is that can be explained."""
    explains_errors: bool = False
    """Whether any of those is an error."""

    first: dt.datetime | None = None
    """When it or anything that it explains was first seen."""
    last: dt.datetime | None = None
    """When it or anything that it explains was last seen."""


def roots(cause_hits: Sequence[CauseHits]) -> list[Root]:
    """Return what nothing else explains. Every line is then of a root, or explained by one."""
    causes = _Causes(cause_hits)
    explained = causes.explained()
    unexplained = [(index, _not(explained[index])) for index in range(len(cause_hits)) if not all(explained[index])]
    spreads = [causes.spread(index, own) for index, own in unexplained]
    while left := causes.left(spreads):
        # Each of these explains another of them in a circle: the one seen first begins it.
        unexplained.append(left)
        spreads.append(causes.spread(*left))
    return [causes.root(index, own, spread) for (index, own), spread in zip(unexplained, spreads, strict=True)]


class _Spread(NamedTuple):
    """What follows from lines of a cause, and from what follows from them; of each cause by its number."""

    masks: dict[int, Mask]
    weights: dict[int, float]


class _Causes:
    """All causes, the first seen first, with the links between them."""

    def __init__(self, all_hits: Sequence[CauseHits]) -> None:
        hits = [hit for cause_hits in all_hits for hit in cause_hits.hits]
        logs = Logs(frozenset(hit.file for hit in hits if hit.time is not None), frozenset(serving_nodes(hits)))
        self._lines = [Timeline(cause_hits, logs) for cause_hits in all_hits]
        self._links = [
            {at: kind for at, other in enumerate(all_hits) if (kind := _link(cause, other)) is not None}
            for cause in all_hits
        ]
        self._latest: dict[tuple[int, int], tuple[Mask, Mask]] = {}

    def explained(self) -> list[Mask]:
        """Return which lines of each cause another one explains."""
        masks = [Mask(len(line)) for line in self._lines]
        for index, links in enumerate(self._links):
            everything = _not(Mask(len(self._lines[index])))
            for at, kind in links.items():
                masks[at] = _or(masks[at], self._lines[index].reached(everything, self._lines[at], kind))
        return masks

    def spread(self, root: int, own: Mask) -> _Spread:
        """Return what follows from lines of a cause, itself included."""
        spread = _Spread({root: own}, {})
        waiting = [root]
        while waiting:
            index = waiting.pop(0)
            for at, kind in self._links[index].items():
                mask_before = spread.masks.get(at, Mask(len(self._lines[at])))
                mask = mask_before
                if not all(mask_before):
                    mask = _or(mask_before, self._reached(index, spread.masks[index], at, kind))
                if mask != mask_before:
                    spread.masks[at] = mask
                    waiting += [at] * (at not in waiting)
                if any(mask) and at != root:
                    spread.weights[at] = max(spread.weights.get(at, 0.0), kind.weight)
        return spread

    def _reached(self, index: int, some: Mask, at: int, kind: LinkKind) -> Mask:
        """Return what can have come of some lines of a cause, which most roots ask for of the same lines."""
        key = (index, at)
        latest = self._latest.get(key)
        if latest is None or latest[0] != some:
            latest = self._latest[key] = (some, self._lines[index].reached(some, self._lines[at], kind))
        return latest[1]

    def left(self, spreads: Sequence[_Spread]) -> tuple[int, Mask] | None:
        """Return the first cause of which some lines belong to no root, with those lines; None where there is none."""
        for index, lines in enumerate(self._lines):
            taken = Mask(len(lines))
            for spread in spreads:
                taken = _or(taken, spread.masks.get(index, taken))
            if not all(taken):
                return index, _not(taken)
        return None

    def root(self, index: int, own: Mask, spread: _Spread) -> Root:
        """Return a root with all that follows from it."""
        reached = {at: self._lines[at] for at in spread.masks if at != index}
        explains = {lines.cause_hits.cause.id: lines.chosen(spread.masks[at]) for at, lines in reached.items()}
        weights = {lines.cause_hits.cause.id: spread.weights[at] for at, lines in reached.items()}
        shares = {lines.cause_hits.cause.id: spread.masks[at].count(1) / len(lines) for at, lines in reached.items()}
        errors = any(lines.cause_hits.cause.severity == "error" for lines in reached.values())
        own_hits = CauseHits(self._lines[index].cause_hits.cause, self._lines[index].chosen(own))
        times = [hit.time for hits in (own_hits.hits, *explains.values()) for hit in hits if hit.time is not None]
        first, last = min(times, default=None), max(times, default=None)
        return Root(own_hits, explains, weights, shares, errors, first, last)


def _or(first: Mask, other: Mask) -> Mask:
    return _mask(_number(first) | _number(other), len(first))


def _not(mask: Mask) -> Mask:
    return mask.translate(_TURNED)


def _number(mask: Mask) -> int:
    return int.from_bytes(mask, "little")


def _mask(number: int, length: int) -> Mask:
    return Mask(number.to_bytes(length, "little"))


def _link(earlier: CauseHits, later: CauseHits) -> LinkKind | None:
    """Return how the one can have brought about the other, by what they are and were; None where it cannot."""
    if earlier.cause.id == later.cause.id:
        return None
    kind, back = _kind(earlier.cause, later.cause), _kind(later.cause, earlier.cause)
    if kind is None:
        return None
    link = thresholds().links[kind]
    if back is None or (kind == "cause" and back in _OF_SYMPTOMS):
        return link
    if _OF_ONE_LOG & {kind, back}:
        # Each can have brought about the other: of one log, the line that stands first did.
        return link._replace(slack_lines=0)
    return link if _goes_first(earlier, later) else None


def _kind(earlier: Cause, later: Cause) -> str | None:
    """Return the kind of link that data allow.

    A warning explains an error only where that names what was warned of: its subject is not enough. Nor is that of a
    symptom, which says that something failed and not what; a root is explained by nothing else. What is generic is
    explained by any error that is not.
    """
    if "harmless" in (earlier.severity, later.severity):
        return None
    if earlier.id in later.after:
        return "cause"
    only_warned = (earlier.severity, later.severity) == ("warning", "error")
    if only_warned or earlier.kind == "symptom" or later.kind == "root":
        return None
    return _kind_by_subject(earlier, later)


def _kind_by_subject(earlier: Cause, later: Cause) -> str | None:
    generic = thresholds().generic
    if earlier.subject in later.after:
        return "subject"
    if later.subject in generic and earlier.subject not in generic:
        return later.subject
    below = _depth(later) - _depth(earlier)
    if below > 0 or (below == 0 and earlier.kind == "root"):
        return "layer" if earlier.subject in thresholds().seen_in.get(later.subject, ()) else "near"
    if later.kind != "symptom":
        return None
    return "consequence" if earlier.kind == "consequence" else "any"


def _depth(cause: Cause) -> int:
    layers = thresholds().layers
    return layers.get(cause.subject, len(layers))


def _goes_first(first: CauseHits, other: CauseHits) -> bool:
    """Tell which of two that could each have brought about the other did: the deeper one, or the one seen first."""
    return _place(first) < _place(other)


def _place(cause_hits: CauseHits) -> tuple[int, float, str]:
    first = cause_hits.first
    return (KIND_ORDER[cause_hits.cause.kind], first.timestamp() if first is not None else 0.0, cause_hits.cause.id)
