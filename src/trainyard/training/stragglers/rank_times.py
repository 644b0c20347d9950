"""What each rank of a run computed in its last steps without waiting for others, from the ends of its lines.

How a line looks is described in src/trainyard/training/programs/trainyard_progress.py.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

STEPS = 200
"""How many of the last steps are looked at."""

TAIL_BYTES = 65_536
"""How much of the end of a rank's lines holds them: some 200 bytes a line, and events between them."""


class Place(NamedTuple):
    """Where a rank runs, as far as it says so."""

    rank: int
    node: str
    gpu: int | None = None
    stage: int | None = None


class RankTimes(NamedTuple):
    """Seconds that ranks computed: for each rank, those of each step."""

    places: tuple[Place, ...]
    own_s: tuple[array[float], ...]
    step_s: array[float]
    """How long the steps took, with waiting."""
    tokens: tuple[float, ...]
    """Mean of each rank in a step; 0 where it does not say so."""
    first_step: int
    last_step: int
    notes: tuple[str, ...] = ()


def rank_times(lines_of_ranks: Iterable[Sequence[bytes | str]]) -> RankTimes | None:
    """Return the times of the last steps that all ranks have told of, or None where fewer than two ranks tell.

    Each rank gives its first line and its last ones, in their order.
    """
    ranks = [rank for lines in lines_of_ranks if (rank := _Rank(lines)).steps]
    if len(ranks) < 2:
        return None
    newest = max(max(rank.steps) for rank in ranks)
    # A rank of an earlier, larger start has lines, too, but no new ones.
    recent = [rank for rank in ranks if max(rank.steps) > newest - STEPS // 2]
    common = sorted(set.intersection(*(set(rank.steps) for rank in recent)))[-STEPS:]
    if len(recent) < 2 or not common:
        return None
    recent.sort(key=lambda rank: rank.place.rank)
    silent = len(ranks) - len(recent)
    return RankTimes(
        places=tuple(rank.place for rank in recent),
        own_s=tuple(array("d", (rank.steps[step][0] for step in common)) for rank in recent),
        step_s=array("d", (max(rank.steps[step][1] for rank in recent) for step in common)),
        tokens=tuple(sum(rank.steps[step][2] for step in common) / len(common) for rank in recent),
        first_step=common[0],
        last_step=common[-1],
        notes=(f"{silent} ranks without recent lines are not compared",) if silent else (),
    )


def places_of(lines_of_ranks: Iterable[Sequence[bytes | str]]) -> dict[int, Place]:
    """Return where ranks run, of the same lines."""
    places = (_Rank(lines).place for lines in lines_of_ranks)
    return {place.rank: place for place in places if place.rank >= 0}


class _Rank:
    """One rank: where it is, and by step its own seconds, those of the step, and tokens."""

    def __init__(self, lines: Sequence[bytes | str]) -> None:
        self.place = Place(-1, "")
        self.steps: dict[int, tuple[float, float, float]] = {}
        for line in _objects(lines):
            if line.get("event") == "start":
                self._take_start(line)
            elif "event" not in line:
                self._take_step(line)

    def _take_start(self, line: Mapping[str, Any]) -> None:
        rank, gpu, stage = (_whole(line.get(key)) for key in ("rank", "gpu", "stage"))
        self.place = Place(-1 if rank is None else rank, str(line.get("node", "")), gpu, stage)
        self.steps.clear()  # what an earlier start did may have been on another node

    def _take_step(self, line: Mapping[str, Any]) -> None:
        step, own_s, rank = _whole(line.get("step")), _seconds(line.get("compute_seconds")), _whole(line.get("rank"))
        if step is None or own_s is None or rank is None:
            return
        node = str(line.get("node", ""))
        if (rank, node) != self.place[:2]:
            self.steps.clear()
            self.place = self.place._replace(rank=rank, node=node)
        self.steps[step] = (own_s, _seconds(line.get("step_seconds")) or own_s, _seconds(line.get("tokens")) or 0.0)


def _objects(lines: Sequence[bytes | str]) -> Iterator[dict[str, Any]]:
    decode = json.JSONDecoder().decode
    for text in lines:
        try:
            line = decode(text if isinstance(text, str) else text.decode())
        except (ValueError, RecursionError):
            continue
        if isinstance(line, dict):
            yield line


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def _seconds(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if isfinite(value) and 0 <= value < 2**53 else None
