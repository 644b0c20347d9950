"""Whether one run is slower than another, and not only by chance.

Two runs of the same cluster differ a little at every size. A change of the cluster moves many sizes in one direction,
so the sizes are pairs: their ratios are ranked by how far they are from one, and ranks of the slower ones are compared
with those of the faster. That is Wilcoxon's signed-rank test, exact for the few sizes that a test has.
https://doi.org/10.2307/3001968
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, isfinite, log
from statistics import median
from typing import NamedTuple

from trainyard.bench.result import Run, busbw

# Below it latency decides, whose noise is larger than what is looked for.
FROM_BYTES = 2**20
# Fewer pairs cannot show less than one chance in 32.
_FEWEST_PAIRS = 5
_SIGNIFICANT = 0.05
# What repeated runs of one cluster differ by, even where all sizes move together: another placement, another switch.
_NOTICEABLE = 0.03


class BaselineComparison(NamedTuple):
    """A run beside an earlier one."""

    pairs: int
    ratio: float | None
    """Median of this run's bus bandwidth by the earlier one's; None where no size is in both."""
    chance: float | None
    """How likely such a difference in one direction is where nothing has changed; None with too few sizes."""

    @property
    def changed(self) -> bool:
        """Return whether it is more than noise."""
        return (
            self.ratio is not None
            and self.chance is not None
            and self.chance < _SIGNIFICANT
            and abs(self.ratio - 1) >= _NOTICEABLE
        )

    @property
    def by_chance(self) -> str:
        """Return how likely it is by chance alone, in words."""
        if self.chance is None:
            return "too few sizes to tell from noise"
        if not self.changed and self.chance < _SIGNIFICANT:
            return f"within the {_NOTICEABLE:.0%} that repeated runs of one cluster differ by"
        return f"by chance in {'less than 0.1%' if self.chance < 0.001 else f'{self.chance:.1%}'} of cases"

    @property
    def verdict(self) -> str:
        """Return slower, faster, the same, or unknown."""
        if self.ratio is None or self.chance is None:
            return "unknown"
        return "the same" if not self.changed else "slower" if self.ratio < 1 else "faster"


def compare_runs(run: Run, earlier: Run) -> BaselineComparison:
    """Compare two runs of the same collective size by size."""
    own_by_size, earlier_by_size = _by_size(run), _by_size(earlier)
    logs = [
        log(own_by_size[size] / earlier_by_size[size]) for size in sorted(own_by_size.keys() & earlier_by_size.keys())
    ]
    if not logs:
        return BaselineComparison(0, None, None)
    chance = signed_rank_chance(logs) if len(logs) >= _FEWEST_PAIRS else None
    return BaselineComparison(len(logs), exp(median(logs)), chance)


def _by_size(run: Run) -> dict[tuple[str, str, int], float]:
    """Return the median bus bandwidth of each data type, operation and size: a test may repeat its sizes."""
    values: dict[tuple[str, str, int], list[float]] = {}
    for row in run.rows:
        value = busbw(row)
        if value and isfinite(value) and row.size_bytes >= FROM_BYTES:  # a time of 0 µs makes any bandwidth infinite
            values.setdefault((row.dtype, row.redop or "", row.size_bytes), []).append(value)
    return {size: median(each) for size, each in values.items()}


def signed_rank_chance(differences: Sequence[float]) -> float:
    """Return how likely differences are as one-sided as these, or more, were either sign as likely."""
    ranked = sorted((difference for difference in differences if difference != 0), key=abs)
    if not ranked:
        return 1.0
    # Ranks are doubled, so that those of ties, which lie in the middle, are whole numbers.
    ranks = _doubled_ranks([abs(difference) for difference in ranked])
    plus = sum(rank for rank, difference in zip(ranks, ranked, strict=True) if difference > 0)
    ways = _ways(ranks)
    extreme = min(plus, sum(ranks) - plus)
    few = sum(count for total, count in enumerate(ways) if total <= extreme)
    return min(1.0, 2.0 * few / float(2 ** len(ranks)))


def _doubled_ranks(values: list[float]) -> list[int]:
    return [_twice_the_rank(values, value) for value in values]


def _twice_the_rank(ascending: list[float], value: float) -> int:
    first = ascending.index(value) + 1
    return 2 * first + ascending.count(value) - 1


def _ways(ranks: list[int]) -> list[int]:
    """Return for each sum of ranks how many choices of signs give it."""
    ways = [1] + [0] * sum(ranks)
    for rank in ranks:
        for total in range(len(ways) - 1, rank - 1, -1):
            ways[total] += ways[total - rank]
    return ways
