"""What makes the steps of a run slow, and what it would gain without that: a what-if analysis of its ranks.

In each step all ranks wait for the slowest one. So a step without a cause takes as long as its slowest rank would,
if what the cause has lengthened took as long as with its peers; Lin et al., OSDI 2025,
https://www.usenix.org/conference/osdi25/presentation/lin-jinkun, do so for each operation of a step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median, median_low
from typing import Any, NamedTuple

from trainyard.training.stragglers.rank_times import Place, RankTimes

LEAST_EXCESS = 0.03
"""From how much longer than its peers a rank is slow: GPUs of a model differ by 1 to 2 % among themselves."""

LEAST_SLOWDOWN = 0.05
"""From how much longer than with equal ranks a step is slow: the slowest of many is slower by chance."""

_LEAST_SHARE = 0.5
"""How much of the slowdown a cause explains at least."""

_NEARLY_ALL = 0.95
"""How much of what slow ranks explain together those that are named explain."""

_ALIKE = 0.1
"""How far apart, as a share of their mean, what ranks take longer may lie where their stage is the reason."""

_OUTLIER_SIGMAS = 6
_SIGMA_OF_MAD = 1.4826
_MEANINGS = {
    "none": "ranks are as fast as one another",
    "gpu": "hardware: a GPU is slow",
    "node": "hardware: all GPUs of a node are slow",
    "stage": "workload: a stage has more to do than the others",
    "work": "workload: ranks have more tokens than the others",
    "imbalance": "workload: in every step other ranks have more to do, as with sequences of different lengths",
    "pauses": "software: ranks stand still now and then, as for garbage collection or for data",
}


class SlowRank(NamedTuple):
    """A rank that is slower than its peers, and by how much."""

    place: Place
    excess: float


class Verdict(NamedTuple):
    """What makes a run slow. Without a cause ("none") there are no slow ranks."""

    cause: str
    slow: tuple[SlowRank, ...]
    slowdown: float
    """How many times as long steps take as with ranks that are all equal."""
    gain: float
    """The share of its time that the run would gain without this cause, at least."""
    stage: int | None = None

    @property
    def meaning(self) -> str:
        """Return what the cause is, in words."""
        return _MEANINGS[self.cause]

    @property
    def nodes(self) -> tuple[str, ...]:
        """Return the nodes whose health is to be checked: only where hardware is the cause."""
        if self.cause not in {"gpu", "node"}:
            return ()
        return tuple(dict.fromkeys(rank.place.node for rank in self.slow))


def straggler_values(times: RankTimes) -> dict[str, Any]:
    """Return what the report shows of it."""
    verdict = verdict_of(times)
    return {
        "cause": verdict.cause,
        "meaning": verdict.meaning,
        "slowdown": verdict.slowdown,
        "gain": verdict.gain,
        "stage": verdict.stage,
        "nodes": list(verdict.nodes),
        "slow": [{**rank.place._asdict(), "excess": rank.excess} for rank in verdict.slow],
        "ranks": len(times.places),
        "first_step": times.first_step,
        "last_step": times.last_step,
        "notes": list(times.notes),
    }


def verdict_of(times: RankTimes) -> Verdict:
    """Return what makes the run slow."""
    return _Analysis(times).verdict()


class _Analysis:
    """The times of ranks beside those of their peers: ranks of the same stage, in the same step."""

    def __init__(self, times: RankTimes) -> None:
        self.times = times
        self.steps = range(len(times.step_s))
        stages = [place.stage for place in times.places]
        self.groups = {stage: [at for at, other in enumerate(stages) if other == stage] for stage in set(stages)}
        by_stage = {stage: _medians([times.own_s[at] for at in group]) for stage, group in self.groups.items()}
        self.peers = [by_stage[stage] for stage in stages]
        self.equal = [sum(by_stage[stage][step] for stage in by_stage) / len(by_stage) for step in self.steps]
        self.actual_s, self.ideal_s = _slowest(times.own_s), sum(self.equal)
        self.excess = [sum(own) / max(sum(peer), 1e-12) - 1 for own, peer in zip(times.own_s, self.peers, strict=True)]

    def verdict(self) -> Verdict:
        slow, stage = self._outliers(), self._slow_stage()
        block = self._block(slow)
        candidates: list[tuple[str, float, list[int], int | None]] = []
        if stage is not None:
            group = self.groups[stage]
            # The last stage has the loss to compute; another one on a node of its own is no slower than its node.
            is_node = stage != max(self.groups, key=_number) and len(self._nodes(group)) == 1
            candidates.append(("node" if is_node else "stage", self._without_stage(group), group, stage))
        if slow:
            cause = "stage" if block else "work" if self._is_work(slow) else self._hardware(slow)
            needed = self._needed(slow)
            candidates.append((cause, self._equalised(needed), needed, None))
        explained = [(self._share(seconds), cause, seconds, ranks, number)
                     for cause, seconds, ranks, number in candidates]  # fmt: skip
        best = max(explained, key=lambda one: one[0], default=None)
        slowdown = self.actual_s / self.ideal_s if self.ideal_s else 1.0
        if best is not None and best[0] >= _LEAST_SHARE and slowdown - 1 >= LEAST_EXCESS:
            _, cause, seconds, ranks, number = best
            return Verdict(cause, self._told(ranks), slowdown, self._gain(seconds), number)
        if slowdown - 1 < LEAST_SLOWDOWN:
            return Verdict("none", (), slowdown, 0.0)
        return Verdict(self._spread(slowdown), (), slowdown, self._gain(_slowest(self.peers)))

    def _outliers(self) -> list[int]:
        """Return ranks that are slower than their peers over all steps, and not by chance."""
        middle = median_low(self.excess)
        sigma = _SIGMA_OF_MAD * median_low(abs(excess - middle) for excess in self.excess)
        least = max(LEAST_EXCESS, middle + _OUTLIER_SIGMAS * sigma)
        return [at for at, excess in enumerate(self.excess) if excess > least]

    def _slow_stage(self) -> int | None:
        means = {stage: sum(self.peers[group[0]]) for stage, group in self.groups.items() if stage is not None}
        if len(means) < 2:
            return None
        slowest = max(means, key=means.__getitem__)
        others = median(mean for stage, mean in means.items() if stage != slowest)
        return slowest if means[slowest] > others * (1 + LEAST_EXCESS) else None

    def _block(self, slow: Sequence[int]) -> bool:
        """Return whether they are ranks in a row that divide all ranks, as those of a stage do, and no single node.

        They have to fill their nodes, or, within a node, be as slow as one another: two sick GPUs hardly are.
        """
        if len(slow) < 2 or len(self.times.places) % len(slow):
            return False
        nodes = self._nodes(slow)
        is_whole = sum(place.node in nodes for place in self.times.places) == len(slow)
        is_alike = _relative_range([self.excess[at] for at in slow]) < _ALIKE
        return slow[-1] - slow[0] == len(slow) - 1 and (len(nodes) > 1 if is_whole else is_alike)

    def _is_work(self, slow: Sequence[int]) -> bool:
        """Return whether more tokens explain at least half of what they take longer."""
        usual = median(self.times.tokens)
        return usual > 0 and all(self.times.tokens[at] / usual - 1 > self.excess[at] / 2 for at in slow)

    def _nodes(self, ranks: Sequence[int]) -> set[str]:
        return {self.times.places[at].node for at in ranks}

    def _hardware(self, slow: Sequence[int]) -> str:
        everywhere = Counter(place.node for place in self.times.places)
        here = Counter(self.times.places[at].node for at in slow)
        return "node" if all(1 < everywhere[node] < 2 * count for node, count in here.items()) else "gpu"

    def _needed(self, slow: Sequence[int]) -> list[int]:
        """Return those that explain nearly all of what they all do together, in the order of their ranks."""
        all_explain = self._share(self._equalised(slow))
        by_excess = sorted(slow, key=lambda at: -self.excess[at])
        for count in range(1, len(slow)):
            if self._share(self._equalised(by_excess[:count])) >= _NEARLY_ALL * all_explain:
                return sorted(by_excess[:count])
        return list(slow)

    def _equalised(self, ranks: Sequence[int]) -> float:
        """Return the seconds of all steps if these ranks were like their peers."""
        replaced = set(ranks)
        return _slowest([self.peers[at] if at in replaced else own for at, own in enumerate(self.times.own_s)])

    def _without_stage(self, group: Sequence[int]) -> float:
        """Return the seconds of all steps if this stage had as much to do as the others, its ranks differing as before.

        What differs among the ranks of a stage is not the stage: sequences of other lengths would still be there.
        """
        factor, scaled = sum(self.equal) / max(sum(self.peers[group[0]]), 1e-12), set(group)
        return _slowest([
            [own_s * factor for own_s in own] if at in scaled else own for at, own in enumerate(self.times.own_s)
        ])  # fmt: skip

    def _share(self, seconds: float) -> float:
        return (self.actual_s - seconds) / max(self.actual_s - self.ideal_s, 1e-12)

    def _gain(self, seconds: float) -> float:
        return max(self.actual_s - seconds, 0.0) / max(sum(self.times.step_s), 1e-12)

    def _told(self, ranks: Sequence[int]) -> tuple[SlowRank, ...]:
        usual = sum(self.equal)
        slow = [SlowRank(self.times.places[at], sum(self.times.own_s[at]) / usual - 1) for at in ranks]
        return tuple(sorted(slow, key=lambda rank: -rank.excess))

    def _spread(self, slowdown: float) -> str:
        """Return whether all differ in each step, or a few are far off now and then."""
        differences = [
            abs(own[step] / peer[step] - 1)
            for own, peer in zip(self.times.own_s, self.peers, strict=True) for step in self.steps if peer[step]
        ]  # fmt: skip
        sigma = _SIGMA_OF_MAD * median(differences)
        # The slowest of 8 ranks lies 1.4 sigma above the mean, that of 1,000 3.2; of lognormal ones somewhat more.
        return "pauses" if slowdown - 1 > _OUTLIER_SIGMAS * sigma else "imbalance"


def _relative_range(values: Sequence[float]) -> float:
    return (max(values) - min(values)) * len(values) / max(sum(values), 1e-12)


def _number(stage: int | None) -> int:
    return -1 if stage is None else stage


def _medians(rows: Sequence[Sequence[float]]) -> list[float]:
    # The lower one: where just half of all are slow, those are the others.
    return [median_low(column) for column in zip(*rows, strict=True)]


def _slowest(rows: Sequence[Sequence[float]]) -> float:
    columns: Iterator[tuple[float, ...]] = zip(*rows, strict=True)
    return sum(max(column) for column in columns)
