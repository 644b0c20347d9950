"""What a run is going to be worth, from failures, checkpoints, restarts and spare nodes: a simulation, not a promise.

Failures come at random with a constant rate for each node. The run loses what it did since its last checkpoint, and
the time of a restart; a failed node comes back after its repair, and without a spare one the run waits for it.
"""

from __future__ import annotations

import heapq
from random import Random
from typing import NamedTuple

_DAY_S = 86_400.0
_RUNS = 400
_MOST_FAILURES = 400_000
_LONGEST_IN_WORKS = 100
_MOST_RESTARTS = 1000
_SEED = 20_261_124


class Plan(NamedTuple):
    """What a forecast is made of. ``work_s`` is the time of computing that the run takes without any failure."""

    nodes: int
    spare_nodes: int
    work_s: float
    interval_s: float
    write_s: float
    restart_s: float
    repair_s: float
    per_1000_node_days: float

    @property
    def mtbf_s(self) -> float:
        """Return the mean time between interruptions."""
        return 1000 * _DAY_S / (self.per_1000_node_days * self.nodes)


class Forecast(NamedTuple):
    """Mean, and what nine of ten runs lie between: of the wall time, and of the share of it that is computing."""

    wall_s: float
    least_wall_s: float
    most_wall_s: float
    interruptions: float
    ends: bool

    def effective(self, plan: Plan) -> float:
        """Return the effective training time as a share of the wall time."""
        return plan.work_s / self.wall_s

    def goodput(self, plan: Plan) -> float:
        """Return the useful share of all nodes that are paid for, spare ones too."""
        return self.effective(plan) * plan.nodes / (plan.nodes + plan.spare_nodes)


def forecast(plan: Plan, seed: int = _SEED) -> Forecast:
    """Return what becomes of a plan, the same for the same seed."""
    chance = Random(seed)  # noqa: S311  a simulation
    expected = plan.work_s / plan.mtbf_s
    runs = max(min(_RUNS, int(_MOST_FAILURES / (expected + 1))), 5)
    walls, failures, ends = [], 0, True
    for _ in range(runs):
        wall_s, failed, ended = _simulated(plan, chance)
        walls.append(wall_s)
        failures += failed
        if not ended:  # one is enough to say so, and each takes long
            ends = False
            break
    walls.sort()
    least, most = walls[int(0.05 * len(walls))], walls[int(0.95 * (len(walls) - 1))]
    return Forecast(sum(walls) / len(walls), least, most, failures / len(walls), ends)


def _simulated(plan: Plan, chance: Random) -> tuple[float, int, bool]:
    """Return the wall time of one run, how often it failed, and whether it came to its end."""
    now_s, left_s, failures = 0.0, plan.work_s, 0
    repaired: list[float] = []
    cycle_s = plan.interval_s + plan.write_s
    while True:
        needed_s = left_s + int(left_s / plan.interval_s) * plan.write_s
        until_failure_s = chance.expovariate(1 / plan.mtbf_s)
        if until_failure_s >= needed_s:
            return now_s + needed_s, failures, True
        left_s -= int(until_failure_s / cycle_s) * plan.interval_s
        now_s += until_failure_s
        failures += 1
        heapq.heappush(repaired, now_s + plan.repair_s)
        while repaired and repaired[0] <= now_s:
            heapq.heappop(repaired)
        if len(repaired) > plan.spare_nodes:
            now_s = heapq.heappop(repaired)
        now_s += _restart(plan, chance)
        if now_s > _LONGEST_IN_WORKS * plan.work_s or failures > _MOST_FAILURES:
            return now_s, failures, False


def _restart(plan: Plan, chance: Random) -> float:
    """Return how long a restart takes: one that is interrupted begins again."""
    taken_s = 0.0
    for _ in range(_MOST_RESTARTS):
        until_failure_s = chance.expovariate(1 / plan.mtbf_s)
        if until_failure_s >= plan.restart_s:
            break
        taken_s += until_failure_s
    return taken_s + plan.restart_s
