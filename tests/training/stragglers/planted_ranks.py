"""Runs in which something is planted that makes them slow: what their ranks write, and what it is."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import NamedTuple

BEGIN_S = 1_780_000_000.0
KINDS = ("none", "gpu", "two-gpus", "intermittent-gpu", "late-gpu", "node", "stage", "work", "imbalance", "pauses")
CAUSES = {"two-gpus": "gpu", "intermittent-gpu": "gpu", "late-gpu": "gpu"}


class Planted(NamedTuple):
    """What is true of a run."""

    cause: str
    nodes: frozenset[str] = frozenset()
    ranks: frozenset[int] = frozenset()
    gain: float = 0.0
    """The share of its time that it would gain without that, where it is hardware."""


class Cluster(NamedTuple):
    """Where the ranks of a run are, stage after stage."""

    nodes: int
    gpus: int
    stages: int

    @property
    def ranks(self) -> int:
        return self.nodes * self.gpus

    def stage_of(self, rank: int) -> int:
        return rank * self.stages // self.ranks


def write_run(folder: Path, kind: str, seed: int, steps: int = 200) -> Planted:
    """Write the lines of all ranks of a run below ``folder`` and return what is planted in it."""
    chance = Random(f"{kind}-{seed}")
    stages = chance.choice((2, 4)) if kind == "stage" else chance.choice((1, 1, 2, 4))
    cluster = Cluster(chance.choice((4, 8, 16)), chance.choice((4, 8)), stages)
    base_s, noise = chance.uniform(0.3, 8), chance.uniform(0.002, 0.012)
    lottery = [max(chance.gauss(1, 0.005), 0.98) for _ in range(cluster.ranks)]
    own = [[base_s * chance.gauss(1, noise) * lottery[rank] for _ in range(steps)] for rank in range(cluster.ranks)]
    tokens = [8192] * cluster.ranks
    healthy = [list(times) for times in own]
    planted = _plant(chance, kind, cluster, own, tokens)
    waiting = [base_s * chance.uniform(0.1, 0.15) for _ in range(steps)]
    taken = [max(rank[step] for rank in own) + waiting[step] for step in range(steps)]
    ideal = [max(rank[step] for rank in healthy) + waiting[step] for step in range(steps)]
    _write(folder, chance, cluster, own, taken, tokens)
    return planted._replace(gain=1 - sum(ideal) / sum(taken))


def _plant(chance: Random, kind: str, cluster: Cluster, own: list[list[float]], tokens: list[int]) -> Planted:
    steps, factor = len(own[0]), chance.uniform(1.07, 2)
    cause = CAUSES.get(kind, kind)
    base_s = sum(own[0]) / steps
    ranks: set[int] = set()
    if kind in {"gpu", "two-gpus", "intermittent-gpu", "late-gpu", "work"}:
        ranks = set(chance.sample(range(cluster.ranks), 2 if kind == "two-gpus" else 1))
    if kind == "two-gpus" and len({rank // cluster.gpus for rank in ranks}) == 1:
        ranks = {0, cluster.gpus}
    if kind == "node":
        node = chance.randrange(cluster.nodes)
        ranks = set(range(node * cluster.gpus, (node + 1) * cluster.gpus))
    if kind == "stage":
        ranks = {rank for rank in range(cluster.ranks) if cluster.stage_of(rank) == cluster.stages - 1}
    from_step = steps // 3 if kind == "late-gpu" else 0
    often = chance.uniform(0.15, 0.5) if kind == "intermittent-gpu" else 1.0
    if kind == "intermittent-gpu":
        factor = chance.uniform(1.4, 3)
    for rank in ranks:
        own[rank] = [
            time * factor if step >= from_step and chance.random() < often else time
            for step, time in enumerate(own[rank])
        ]
        if kind == "work":
            tokens[rank] = round(tokens[rank] * factor)
    _spread(chance, kind, own, base_s)
    is_hardware = cause in {"gpu", "node"}
    nodes = frozenset(f"gpus-st-p5-{rank // cluster.gpus + 1}" for rank in ranks) if is_hardware else frozenset()
    return Planted(cause, nodes, frozenset(ranks))


def _spread(chance: Random, kind: str, own: list[list[float]], base_s: float) -> None:
    if kind == "imbalance":
        spread = chance.uniform(0.05, 0.3)
        for times in own:
            times[:] = [time * chance.lognormvariate(0, spread) for time in times]
    if kind == "pauses":
        often, pause_s = chance.uniform(0.002, 0.01), base_s * chance.uniform(0.6, 2)
        for times in own:
            times[:] = [time + (pause_s if chance.random() < often else 0) for time in times]


def _write(  # noqa: PLR0913, PLR0917  what a run is
    folder: Path, chance: Random, cluster: Cluster, own: list[list[float]], taken: list[float], tokens: list[int]
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    tells_stage = cluster.stages > 1 and chance.random() < 0.7
    for rank, times in enumerate(own):
        skew_s = chance.uniform(-30, 30)
        node = {"rank": rank, "node": f"gpus-st-p5-{rank // cluster.gpus + 1}"}
        start = {"event": "start", "job": 7, "attempt": 0, "world_size": cluster.ranks, "gpu": rank % cluster.gpus}
        if tells_stage:
            start["stage"] = cluster.stage_of(rank)
        now_s = BEGIN_S + skew_s
        lines = [{"time": now_s, **node, **start}]
        for step, (own_s, taken_s) in enumerate(zip(times, taken, strict=True)):
            now_s += taken_s
            lines.append({"time": now_s, **node, "step": step, "step_seconds": round(taken_s, 6),
                          "compute_seconds": round(own_s, 6), "tokens": tokens[rank]})  # fmt: skip
        lines = lines[: len(lines) - chance.randrange(4)]  # not all ranks have written their last lines yet
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"rank-{rank}.jsonl").write_text(text + '{"time": 17800', encoding="utf-8")
