"""The lines of a cause in time, and which lines of another one can have come of some of them.

Logs can hold many lines of many causes, so lines are not compared one by one: those of a cause reach over few stretches
of time, and what lies in them is found by halving.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import compress

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.reasoning.cause_evidence import CauseHits, LinkKind, thresholds

Mask = bytearray
"""Which lines of a cause are meant: 1 for each of them."""
_EC2_HOST = "ip-"
_Stretches = list[tuple[float, float]]


class Timeline:
    """The lines of a cause: first those without a time, and then the others in the order of time."""

    def __init__(self, cause_hits: CauseHits) -> None:
        """Take the lines as they are sorted."""
        self.cause_hits = cause_hits
        self.hits = cause_hits.hits
        self._times = [hit.time.timestamp() for hit in cause_hits.hits if hit.time is not None]
        self._timeless = len(cause_hits.hits) - len(self._times)
        self._is_of_one_node = cause_hits.cause.subject in thresholds().one_node

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.hits)

    def chosen(self, mask: Mask) -> tuple[Hit, ...]:
        """Return the lines that are meant."""
        return tuple(compress(self.hits, mask))

    def reached(self, some: Mask, later: Timeline, kind: LinkKind) -> Mask:
        """Return which lines of another cause can have come of some lines of this one."""
        if not any(some):
            return Mask(len(later))
        mask = self._reached_in_time(some, later, kind)
        own = list(compress(self.hits, some))
        logs, nodes = {hit.file for hit in own}, {hit.node for hit in own if hit.node is not None}
        first = own[0].line if (is_one_log := len(logs) == 1) else 0
        for place in compress(range(len(later)), bytes(mask)):
            hit = later.hits[place]
            if hit.file not in logs:
                mask[place] = kind.where == "anywhere" or (kind.where == "log or node" and hit.node in nodes)
            elif is_one_log and (not kind.slack_lines or hit.time is None or own[0].time is None):
                # Where lines have no time, their order tells.
                mask[place] = first <= hit.line + kind.slack_lines
        return mask

    def _reached_in_time(self, some: Mask, later: Timeline, kind: LinkKind) -> Mask:
        if self._is_of_one_node and later._is_of_one_node:
            return self._reached_on_same_node(some, later, kind)
        if any(some[: self._timeless]):
            return _ones(len(later))
        return later._within(_stretches(compress(self._times, some[self._timeless :]), kind))

    def _within(self, stretches: _Stretches) -> Mask:
        """Return which lines lie in stretches of time, those without a time among them."""
        mask = Mask(len(self))
        mask[: self._timeless] = _ones(self._timeless)
        for begin, end in stretches:
            first, last = bisect_left(self._times, begin), bisect_right(self._times, end)
            mask[self._timeless + first : self._timeless + last] = _ones(last - first)
        return mask

    def _reached_on_same_node(self, some: Mask, later: Timeline, kind: LinkKind) -> Mask:
        mask = Mask(len(later))
        by_node: dict[str | None, list[float | None]] = defaultdict(list)
        for hit in compress(self.hits, some):
            by_node[hit.node].append(hit.time.timestamp() if hit.time is not None else None)
        of_form: dict[bool, list[float | None]] = {True: [], False: []}
        for node, times in by_node.items():
            if node is not None:
                of_form[_is_ec2(node)] += times
        everywhere = [time for times in by_node.values() for time in times]
        for node, places in later._places_by_node.items():
            # EC2's name of a host tells nothing of what Slurm calls it: of another form, it may be the same.
            times = (
                everywhere
                if node is None
                else [*by_node.get(node, ()), *by_node.get(None, ()), *of_form[not _is_ec2(node)]]
            )
            _mark(mask, later, places, times, kind)
        return mask

    @cached_property
    def _places_by_node(self) -> dict[str | None, list[int]]:
        places: dict[str | None, list[int]] = defaultdict(list)
        for place, hit in enumerate(self.hits):
            places[hit.node].append(place)
        return dict(places)


def _mark(mask: Mask, later: Timeline, places: Sequence[int], times: Sequence[float | None], kind: LinkKind) -> None:
    """Mark those of some places of a later cause that lie behind one of the times; None is any time."""
    if not times:
        return
    stretches = (
        [(0.0, float("inf"))] if None in times else _stretches(sorted(time for time in times if time is not None), kind)
    )
    for place in places:
        hit = later.hits[place]
        if hit.time is None or _lies_in(hit.time.timestamp(), stretches):
            mask[place] = 1


def _lies_in(time: float, stretches: _Stretches) -> bool:
    place = bisect_right(stretches, (time, float("inf")))
    return place > 0 and stretches[place - 1][1] >= time


def _stretches(times: Iterable[float], kind: LinkKind) -> _Stretches:
    """Return when what came of lines may have been written down. Times are in order."""
    slack, reach = kind.slack.total_seconds(), kind.reach.total_seconds()
    stretches: _Stretches = []
    for time in times:
        if stretches and time - slack <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], time + reach)
        else:
            stretches.append((time - slack, time + reach))
    return stretches


def _is_ec2(node: str) -> bool:
    return node.startswith(_EC2_HOST)


def _ones(count: int) -> Mask:
    return Mask(b"\x01" * count)
