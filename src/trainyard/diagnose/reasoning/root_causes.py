"""From lines to the answer: the causes that nothing else explains, ranked, each with what it brought about."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from trainyard.diagnose.cause import Cause, Hit, causes, signatures
from trainyard.diagnose.diagnosis import DiagnosedCause
from trainyard.diagnose.node_logs import NodeLogs
from trainyard.diagnose.reasoning.attribution import Root, roots
from trainyard.diagnose.reasoning.cause_evidence import (
    CONFIDENCE_ORDER,
    KIND_ORDER,
    CauseHits,
    Counts,
    Known,
    at_most_likely,
    causes_of_hits,
    in_time,
    lines_by_node,
    sureness,
    thresholds,
)
from trainyard.diagnose.reasoning.collective_ranks import rank_of, ranks_behind
from trainyard.diagnose.reasoning.facts import facts, meant_cause
from trainyard.diagnose.reasoning.node_share import ALL_SINCE_START, NodeShare, node_share
from trainyard.diagnose.reasoning.repair import repaired_hits

_BY_ORDER = tuple(CONFIDENCE_ORDER)
_FOR_TWO_STEPS = 3
_MOST = 10


class RootCauses(NamedTuple):
    """What lines tell of."""

    causes: tuple[DiagnosedCause, ...]
    """The root cause first."""
    harmless: tuple[DiagnosedCause, ...]
    repaired: tuple[DiagnosedCause, ...] = ()
    """What failed, and worked later."""


def root_causes(
    hits: Iterable[Hit],
    counts: Counts | None = None,
    signature_table: Known | None = None,
    node_logs: NodeLogs | None = None,
) -> RootCauses:
    """Return what lines tell of. ``counts`` has how many there are of each signature and node, where not all are kept.

    ``known`` are the signatures, by default all there are. Harmless causes explain nothing, and nothing explains them.
    """
    table = signatures() if signature_table is None else signature_table
    parted = repaired_hits(hits, table)
    all_hits = causes_of_hits(parted.left, table)
    kept = [*parted.left, *parted.repaired]
    counted = _CauseCounter({cause_hits.cause.id: cause_hits for cause_hits in all_hits}, kept, counts or {}, node_logs)
    all_repaired = causes_of_hits(parted.repaired, table)
    repaired_counts = _CauseCounter(
        {cause_hits.cause.id: cause_hits for cause_hits in all_repaired}, kept, counts or {}
    )
    harmless = tuple(
        counted.cause(cause_hits, cause_hits.hits) for cause_hits in all_hits if cause_hits.cause.severity == "harmless"
    )
    return RootCauses(
        _assigned([cause_hits for cause_hits in all_hits if cause_hits.cause.severity != "harmless"], counted),
        harmless,
        tuple(repaired_counts.cause(cause_hits, cause_hits.hits) for cause_hits in all_repaired),
    )


def _assigned(all_hits: Sequence[CauseHits], counted: _CauseCounter) -> tuple[DiagnosedCause, ...]:
    """Return the roots, and give each line that is explained to one of those that explain it.

    That is the first of them that is seen in the same log, or else the first of all.
    """
    ranked = _ranked(roots(all_hits), counted)
    givers: dict[int, tuple[bool, int]] = {}  # of lines by their identity: to compare them by what they hold takes long
    for place, root in enumerate(ranked):
        logs = {hit.file for hit in root.cause_hits.hits}
        for hit in chain.from_iterable(root.explains.values()):
            giver = (hit.file not in logs, place)
            givers[id(hit)] = min(giver, givers.get(id(hit), giver))
    others = ({line for line, (_, giver) in givers.items() if giver != place} for place in range(len(ranked)))
    diagnosed_causes = [counted.root(root, taken) for root, taken in zip(ranked, others, strict=True)]
    return tuple(sorted(diagnosed_causes, key=_is_only_a_warning))


def _is_only_a_warning(diagnosed: DiagnosedCause) -> bool:
    return all(diagnosed_cause.cause.severity != "error" for diagnosed_cause in (diagnosed, *diagnosed.consequences))


class _CauseCounter:
    """Makes found causes, with counts that also hold for lines that were not kept."""

    def __init__(
        self,
        hits_by_cause: Mapping[str, CauseHits],
        kept: Iterable[Hit],
        counts: Counts,
        node_logs: NodeLogs | None = None,
    ) -> None:
        self._seen = hits_by_cause
        self._counts, self._node_logs = counts, node_logs
        self._by_signature: dict[str, list[Hit]] = defaultdict(list)
        for hit in kept:
            self._by_signature[hit.signature].append(hit)
        self._shares: dict[str, NodeShare | None] = {}

    def root(self, root: Root, taken: set[int]) -> DiagnosedCause:
        """Return a root with those of its consequences that are not taken yet, in the order of time."""
        left = {id_: [hit for hit in hits if id(hit) not in taken] for id_, hits in root.explains.items()}
        consequences = [self.cause(self._seen[id_], hits) for id_, hits in left.items() if hits]
        in_order = sorted(
            consequences,
            key=lambda consequence: _first_line(self._seen[consequence.cause.id], left[consequence.cause.id]),
        )
        return self.cause(root.cause_hits, root.cause_hits.hits, tuple(in_order))

    def cause(
        self, cause_hits: CauseHits, hits: Iterable[Hit], consequences: tuple[DiagnosedCause, ...] = ()
    ) -> DiagnosedCause:
        """Return a cause by some of its lines."""
        own = sorted(hits, key=in_time)
        times = [hit.time for hit in own if hit.time is not None]
        lines = lines_by_node(own, self._kept_of(own), self._counts)
        by_node = {node: count for node, count in lines.most_common() if node is not None}
        is_complete = lines.total() == len({(hit.file, hit.line) for hit in own})
        share = self.share(self._seen[cause_hits.cause.id])
        meant = self._meant(cause_hits.cause, own if is_complete else (), share)
        sure = confidence(cause_hits.cause, own, len(consequences))
        return DiagnosedCause(
            meant, sure if meant is cause_hits.cause else at_most_likely(sure), lines.total(), by_node,
            min(times, default=None), max(times, default=None), _evidence(cause_hits.cause, own), consequences,
            facts(cause_hits.cause, own, is_complete=is_complete, share=share), share,
        )  # fmt: skip

    def _kept_of(self, own: Sequence[Hit]) -> Iterable[Hit]:
        """Return all kept lines of the signatures of some, also of those that are not among what is counted here."""
        names = {hit.signature for hit in own}
        return (hit for name in names for hit in self._by_signature.get(name, ()))

    def share(self, cause_hits: CauseHits) -> NodeShare | None:
        """Return on how many nodes a cause is, by all of its lines."""
        cause = cause_hits.cause
        if cause.severity == "harmless":
            return None
        if cause.id not in self._shares:
            self._shares[cause.id] = node_share(self._seen[cause.id].hits, self._node_logs)
        return self._shares[cause.id]

    def _meant(self, cause: Cause, hits: Sequence[Hit], share: NodeShare | None) -> Cause:
        """Return what a cause is by a value in all its lines, or by where it is seen.

        A cause that other lines tell of stays apart from them.
        """
        meant = meant_cause(cause, hits) or (cause.means.get(share.since) if share else None)
        return cause if meant is None or meant in self._seen else causes()[meant]


def _first_line(cause_hits: CauseHits, hits: Iterable[Hit]) -> tuple[float, str, int]:
    return min(map(in_time, hits), default=in_time(cause_hits.hits[0]))


def confidence(cause: Cause, hits: Sequence[Hit], consequences: int) -> str:
    """Return how sure a cause is.

    It is that of its surest line. One thing that bears it out makes it a step surer, and three make it two: that
    several signatures of it were found, that several nodes tell of it, and that what it brings about was seen.
    """
    surest = min(CONFIDENCE_ORDER[sureness(cause, hit)] for hit in hits)
    several_signatures = len({hit.signature for hit in hits}) > 1
    several_nodes = len({hit.node for hit in hits if hit.node is not None}) > 1
    borne_out = several_signatures + several_nodes + (consequences > 0)
    steps = 0 if not borne_out else 2 if borne_out >= _FOR_TWO_STEPS else 1
    return _BY_ORDER[max(int(cause.subject in thresholds().generic), surest - steps)]


def _evidence(cause: Cause, hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return lines: the first of each signature, the first of each node, and then others, the surest first.

    Lines of a rank that is behind the others come before theirs.
    """
    own = list(hits)
    behind = ranks_behind(hit.text for hit in own)
    ordered = sorted(
        own,
        key=lambda hit: (rank_of(hit.text) not in behind, CONFIDENCE_ORDER[sureness(cause, hit)], *in_time(hit)),
    )
    firsts = _firsts(ordered, lambda hit: hit.signature) + _firsts(ordered, lambda hit: hit.node)
    by_place = {(hit.file, hit.line): hit for hit in reversed([*firsts, *ordered])}
    order = dict.fromkeys((hit.file, hit.line) for hit in [*firsts, *ordered])
    return tuple(by_place[place] for place in order)[:_MOST]


def _firsts(hits: Iterable[Hit], of: Callable[[Hit], Hashable]) -> list[Hit]:
    first_hits: dict[Hashable, Hit] = {}
    for hit in hits:
        first_hits.setdefault(of(hit), hit)
    return list(first_hits.values())


def _ranked(roots: Sequence[Root], counted: _CauseCounter) -> list[Root]:
    """Return roots, the first of which is the answer. Warnings never come before errors."""
    return sorted(roots, key=lambda root: (_class(root, roots, counted), *_order(root)))


def _score(root: Root) -> float:
    """Return how much a root explains, itself included, times how sure its surest line is."""
    sure = max(thresholds().confidence[sureness(root.cause_hits.cause, hit)] for hit in root.cause_hits.hits)
    return sure * (1 + sum(weight * root.shares[id_] for id_, weight in root.weights.items()))


def _order(root: Root) -> tuple[float, int, int, tuple[float, str, int], str]:
    cause, layers = root.cause_hits.cause, thresholds().layers
    depth = layers.get(cause.subject, len(layers))
    return (-_score(root), KIND_ORDER[cause.kind], depth, in_time(root.cause_hits.hits[0]), cause.id)


def _class(root: Root, roots: Sequence[Root], counted: _CauseCounter) -> int:
    """Return the class of a root: errors, warnings of which errors came, generic errors, symptoms, and the rest.

    The rest is errors that had ended long before, and then warnings.
    """
    cause = root.cause_hits.cause
    if cause.severity != "error":
        return 1 if root.explains_errors else 5
    share = counted.share(root.cause_hits)
    # What stands on all nodes since they started was there when all went well.
    stands = share is not None and share.since == ALL_SINCE_START
    if any(_is_over(root, root.cause_hits.first if stands else root.last, other) for other in roots):
        return 4
    if cause.kind == "symptom":
        return 3
    return 2 if cause.subject in thresholds().generic else 0


def _is_over(root: Root, ended: dt.datetime | None, other: Root) -> bool:
    """Return whether a root had long been over when another began that explains at least as much.

    A symptom has to explain more: it says that something failed, and not what.
    """
    began = other.first
    if other.cause_hits.cause.severity != "error" or ended is None or began is None:
        return False
    own, others = sum(root.weights.values()), sum(other.weights.values())
    enough = others > own if other.cause_hits.cause.kind == "symptom" else others >= own
    return enough and ended + thresholds().over_after < began
