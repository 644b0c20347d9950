"""The lines of a cause in time, and which lines of another one can have come of some of them.

Logs can hold many lines of many causes, so lines are not compared one by one: those of a cause reach over few stretches
of time, and what lies in them is found by halving.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain, compress
from math import inf
from typing import NamedTuple

from trainyard.diagnose.cause import Hit
from trainyard.diagnose.reasoning.cause_evidence import CauseHits, LinkKind, thresholds
from trainyard.diagnose.reasoning.place import Place, place_of

Mask = bytearray
"""Which lines of a cause are meant: 1 for each of them."""
_Stretches = list[tuple[float, float]]


class Logs(NamedTuple):
    """What all logs together tell."""

    dated: frozenset[str]
    """Those of which some line has a time."""
    serving: frozenset[str]
    """The machines that serve the others."""


class Timeline:
    """The lines of a cause: first those without a time, and then the others in the order of time."""

    def __init__(self, cause_hits: CauseHits, logs: Logs) -> None:
        """Take the lines as they are sorted."""
        self.cause_hits = cause_hits
        self.hits = cause_hits.hits
        self._logs = logs
        self._last_ties: tuple[Mask, _Ties] | None = None
        self._is_of_one_node = cause_hits.cause.subject in thresholds().one_node

    def __len__(self) -> int:
        """Return how many lines there are."""
        return len(self.hits)

    def chosen(self, mask: Mask) -> tuple[Hit, ...]:
        """Return the lines that are meant."""
        return tuple(compress(self.hits, mask))

    def reached(self, some: Mask, later: Timeline, kind: LinkKind) -> Mask:
        """Return which lines of another cause can have come of some lines of this one."""
        mask = Mask(len(later))
        if not any(some):
            return mask
        ties = self._ties_of(some)
        is_same_log_enough = not (self._is_of_one_node and later._is_of_one_node)
        for (file, place), numbers in later._numbers_by_place.items():
            first = ties.first_lines.get(file) if is_same_log_enough else None
            keys: list[Hashable] = [file] if first else ties.keys(place, kind, is_dated=file in self._logs.dated)
            stretches = _merged([one for key in keys if (one := ties.stretches(key, kind))])
            if not stretches:
                continue
            # Where lines have no time, their order tells.
            in_order = first is not None and (first.time is None or not kind.slack_lines)
            for number in numbers:
                time = later._times[number]
                if first and (in_order or time is None) and first.line > later.hits[number].line + kind.slack_lines:
                    continue
                mask[number] = time is None or _lies_in(time, stretches)
        return mask

    @cached_property
    def _times(self) -> list[float | None]:
        return [hit.time.timestamp() if hit.time is not None else None for hit in self.hits]

    @cached_property
    def places(self) -> list[Place]:
        """Return what each line is about."""
        return [place_of(self.cause_hits.cause.id, hit) for hit in self.hits]

    @cached_property
    def _numbers_by_place(self) -> dict[tuple[str, Place], list[int]]:
        numbers: dict[tuple[str, Place], list[int]] = defaultdict(list)
        for number, (hit, place) in enumerate(zip(self.hits, self.places, strict=True)):
            numbers[hit.file, place].append(number)
        return dict(numbers)

    def _ties_of(self, some: Mask) -> _Ties:
        """Return what can tie others to some lines, which are asked for with many others in turn."""
        if self._last_ties is None or self._last_ties[0] != some:
            lines = compress(zip(self.hits, self.places, strict=True), some)
            self._last_ties = (Mask(some), _Ties(lines, self._logs.serving))
        return self._last_ties[1]


class _Ties:
    """When lines of a cause were written, by what can tie others to them: their log, what they name, and all others."""

    def __init__(self, lines: Iterable[tuple[Hit, Place]], serving: AbstractSet[str]) -> None:
        self.first_lines: dict[str, Hit] = {}
        """Of each log."""
        self._times: dict[Hashable, list[float | None]] = defaultdict(list)
        self._stretches: dict[tuple[Hashable, LinkKind], _Stretches] = {}
        for hit, place in lines:
            self.first_lines.setdefault(hit.file, hit)
            # What goes wrong in a job goes wrong for that job, and what does on a machine that serves, for everybody.
            sorts = frozenset[str]() if hit.node in serving else place.sorts
            keys: list[Hashable] = [hit.file, *place.names, *([] if place.is_of_job else [sorts])]
            for key in keys:
                self._times[key].append(hit.time.timestamp() if hit.time is not None else None)
        self._sorts = [key for key in self._times if isinstance(key, frozenset)]

    def keys(self, place: Place, kind: LinkKind, *, is_dated: bool) -> list[Hashable]:
        """Return what ties lines of another log, which are about this, to any of these."""
        names: list[Hashable] = [name for name in place.names if name in self._times]
        if kind.is_tied or (kind.is_dated and not is_dated):
            return names
        # What names nothing of one sort with a line may be about the same.
        return [*names, *(sorts for sorts in self._sorts if sorts.isdisjoint(place.sorts))]

    def stretches(self, key: Hashable, kind: LinkKind) -> _Stretches:
        """Return when what came of the lines of a key may have been written down."""
        if (key, kind) not in self._stretches:
            times = self._times[key]
            known = sorted(time for time in times if time is not None)
            self._stretches[key, kind] = [(0.0, inf)] if None in times else _stretches(known, kind)
        return self._stretches[key, kind]


def _merged(all_stretches: Sequence[_Stretches]) -> _Stretches:
    """Return stretches of time as those that do not overlap."""
    if len(all_stretches) == 1:
        return all_stretches[0]
    merged: _Stretches = []
    for begin, end in sorted(chain.from_iterable(all_stretches)):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


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
