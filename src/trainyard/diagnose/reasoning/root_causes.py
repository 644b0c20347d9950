"""From lines to the answer: the causes that nothing else explains, ranked, each with what it brought about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trainyard.diagnose.cause import signatures
from trainyard.diagnose.diagnosis import FoundCause
from trainyard.diagnose.hit import Hit
from trainyard.diagnose.reasoning.attribution import Root, roots
from trainyard.diagnose.reasoning.cause_evidence import Counts, Known, SeenCause, in_time, lines_by_node, seen_causes
from trainyard.diagnose.reasoning.confidence import confidence
from trainyard.diagnose.reasoning.evidence import evidence
from trainyard.diagnose.reasoning.ranking import ranked


class RootCauses(NamedTuple):
    """What lines tell of."""

    causes: tuple[FoundCause, ...]
    """The root cause first."""
    harmless: tuple[FoundCause, ...]


def found_causes(hits: Iterable[Hit], counts: Counts | None = None, known: Known | None = None) -> RootCauses:
    """Return what lines tell of. ``counts`` has how many there are of each signature and node, where not all are kept.

    ``known`` are the signatures, by default all there are. Harmless causes explain nothing, and nothing explains them.
    """
    seen = seen_causes(hits, signatures() if known is None else known)
    counted = _Counted({one.cause.id: one for one in seen}, counts or {})
    harmless = tuple(counted.cause(one, one.hits) for one in seen if one.cause.severity == "harmless")
    return RootCauses(_assigned([one for one in seen if one.cause.severity != "harmless"], counted), harmless)


def _assigned(seen: Sequence[SeenCause], counted: _Counted) -> tuple[FoundCause, ...]:
    """Return the roots, and give each line that is explained to the first of those that explain it."""
    taken: set[int] = set()  # lines by their identity: to compare them by what they hold takes long
    found = []
    for root in ranked(roots(seen)):
        found.append(counted.root(root, taken))
        taken.update(id(hit) for hits in root.explains.values() for hit in hits)
    return tuple(sorted(found, key=_is_only_a_warning))


def _is_only_a_warning(found: FoundCause) -> bool:
    return all(one.cause.severity != "error" for one in (found, *found.consequences))


class _Counted:
    """Makes found causes, with counts that also hold for lines that were not kept."""

    def __init__(self, seen: Mapping[str, SeenCause], counts: Counts) -> None:
        self._seen = seen
        self._counts = counts

    def root(self, root: Root, taken: set[int]) -> FoundCause:
        """Return a root with those of its consequences that are not taken yet, in the order of time."""
        left = {id_: [hit for hit in hits if id(hit) not in taken] for id_, hits in root.explains.items()}
        consequences = [self.cause(self._seen[id_], hits) for id_, hits in left.items() if hits]
        in_order = sorted(consequences, key=lambda one: _first_line(self._seen[one.cause.id], left[one.cause.id]))
        return self.cause(root.seen, root.seen.hits, tuple(in_order))

    def cause(self, seen: SeenCause, hits: Iterable[Hit], consequences: tuple[FoundCause, ...] = ()) -> FoundCause:
        """Return a cause by some of its lines."""
        own = sorted(hits, key=in_time)
        times = [hit.time for hit in own if hit.time is not None]
        lines = lines_by_node(own, self._seen[seen.cause.id].hits, self._counts)
        by_node = {node: count for node, count in lines.most_common() if node is not None}
        return FoundCause(
            seen.cause, confidence(seen.cause, own, len(consequences)), lines.total(), by_node,
            min(times, default=None), max(times, default=None), evidence(seen.cause, own), consequences,
        )  # fmt: skip


def _first_line(seen: SeenCause, hits: Iterable[Hit]) -> tuple[float, str, int]:
    return min(map(in_time, hits), default=in_time(seen.hits[0]))
