"""What runs tell about single nodes: how fast each node, each pair, and each node's processes are beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.bench.judge import Judgement
from trainyard.bench.result import Run
from trainyard.bench.slow_nodes import Speed, node_ratios, slow_nodes, speeds


def nodes(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return the slow nodes, and the figures that can be drawn."""
    runs = [one.case.run for one in judgements]
    groups = [_group(runs, group) for group in speeds(runs)]
    return {
        "slow": [{"host": one.host, "why": one.why, "runs": [at + 1 for at in one.runs]} for one in slow_nodes(runs)],
        "by_runs": groups,
        "by_processes": [one for at, run in enumerate(runs, 1) if (one := _processes(at, run)) is not None],
    }


def _group(runs: Sequence[Run], group: Sequence[Speed]) -> dict[str, Any]:
    """Return the best share that each node has reached, as a good run clears all its nodes, and that of each pair."""
    best: dict[str, float] = {}
    counts: dict[str, int] = {}
    for one in group:
        for host in runs[one.run].hosts:
            best[host] = max(best.get(host, 0.0), one.share)
            counts[host] = counts.get(host, 0) + 1
    pairs = [{"hosts": runs[one.run].hosts, "share": one.share} for one in group if len(one.hosts) == 2]
    first = runs[group[0].run]
    return {
        "collective": first.collective,
        "ranks": first.ranks,
        "hosts": [{"host": host, "best_share": best[host], "runs": counts[host]} for host in best],
        "pairs": pairs,
    }


def _processes(number: int, run: Run) -> dict[str, Any] | None:
    ratios = node_ratios(run)
    if not ratios:
        return None
    rows = [{"host": host, "ratios": [by_host[host] for by_host in ratios.values()]} for host in run.hosts]
    return {"run": number, "sizes_bytes": list(ratios), "hosts": rows}
