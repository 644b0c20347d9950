"""All that a report shows, as plain values: page, plots, terminal and JSON are made of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from trainyard.bench.case import kinds
from trainyard.bench.forecast import Forecast, forecasts
from trainyard.bench.judge import Judgement
from trainyard.bench.report.chart_values import charts
from trainyard.bench.report.sentences import headline, summary
from trainyard.bench.result import Run, busbw
from trainyard.bench.scaling import Point, ScalingSeries, all_series
from trainyard.bench.slow_nodes import Speed, node_ratios, slow_nodes, speeds
from trainyard.finding import SEVERITIES, Finding
from trainyard.version import __version__

_WORST = ("broken", "degraded", "unknown", "healthy")
_MOST_EVIDENCE = 40
# What explains others stands before them.
_SLOW = "bench-slow-node"
_DEFINITION = (
    "Bus bandwidth is normalised by the number of ranks, so it stays the same where a cluster scales, and does not add "
    "up. Efficiency is the bus bandwidth of N nodes by that of the fewest that use the network, at the same size."
)
_FAULTY = ("degraded", "broken")


def report_values(judged: Sequence[tuple[str, Judgement]], clusters: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values for judged runs, of which there is at least one, with the names that the report gives them.

    ``clusters`` are those that the runs are known to be of.
    """
    judgements = [judgement for _, judgement in judged]
    values: dict[str, Any] = {
        "trainyard_version": __version__,
        "clusters": list(clusters),
        "verdict": min((judgement.verdict for judgement in judgements), key=_WORST.index),
        "runs": [_run(at, name, judgement) for at, (name, judgement) in enumerate(judged, 1)],
        "findings": _findings(judgements),
        "charts": charts(judgements),
        "scaling": _scaling(judgements),
        "nodes": nodes(judgements),
        "versions": _counted(judgement.case.run.versions for judgement in judgements),
        "environment": _counted(judgement.case.run.environment for judgement in judgements),
        "network": _counted(_network(judgement) for judgement in judgements),
        "algorithms": _counted(_as_text(judgement.case.run.algorithms) for judgement in judgements),
        "evidence": _evidence(judgements),
    }
    return {"headline": headline(values), "summary": summary(values), **values}


def _run(number: int, name: str, judgement: Judgement) -> dict[str, Any]:
    case, run = judgement.case, judgement.case.run
    best = run.best
    reached = busbw(best) if best is not None else None
    model = case.expectation
    at_best = model.at(best.size_bytes) if model is not None and best is not None and best.size_bytes else None
    compared = judgement.compared
    return {
        "number": number,
        "name": name,
        "began": run.began,
        "verdict": judgement.verdict,
        "collective": run.collective,
        "dtype": run.rows[0].dtype if run.rows else None,
        "instance_type": case.machine.name if case.machine is not None else None,
        "nodes": case.nodes,
        "ranks": run.ranks,
        "hosts": run.hosts,
        # A time of 0 µs makes it infinite, which no JSON can hold.
        "max_busbw_gb_s": reached if reached is not None and isfinite(reached) else None,
        "at_size_bytes": best.size_bytes if best is not None else None,
        "bandwidth_unit": run.bandwidth_unit,
        "expected_gb_s": at_best.busbw_gb_s if at_best is not None else None,
        "least_gb_s": at_best.least_gb_s if at_best is not None else None,
        "ceiling_gb_s": case.model.ceiling.busbw_gb_s if case.model is not None else None,
        "wrong_total": run.wrong_total,
        "baseline": None if compared is None else {"verdict": compared.verdict, "busbw_ratio": compared.ratio},
        "findings": [finding.id for finding in judgement.findings],
    }


def _findings(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return findings with one remedy together, each message with the runs that it is about; the worst come first."""
    groups: dict[tuple[str, str | None], list[Finding]] = {}
    runs: dict[tuple[str, str], list[int]] = {}
    for number, judgement in enumerate(judgements, 1):
        for finding in judgement.findings:
            about = runs.setdefault((finding.id, finding.message), [])
            if not about:
                groups.setdefault((finding.id, finding.remedy), []).append(finding)
            about.append(number)
    ordered = sorted(groups.values(), key=lambda group: (SEVERITIES.index(group[0].severity), group[0].id != _SLOW))
    return [_group(group, runs) for group in ordered]


def _group(group: Sequence[Finding], runs: Mapping[tuple[str, str], list[int]]) -> dict[str, Any]:
    first = group[0]
    return {
        "id": first.id,
        "severity": first.severity,
        "title": kinds()[first.id].title,
        "messages": [
            {
                "message": group_finding.message,
                "line": group_finding.line,
                "runs": runs[group_finding.id, group_finding.message],
            }
            for group_finding in group
        ],
        "remedy": first.remedy,
        "source": first.source,
    }


def _network(judgement: Judgement) -> dict[str, str]:
    transport = judgement.case.run.transport
    facts: dict[str, object] = {
        "network": transport.network,
        "provider": transport.provider,
        "network cards of a node": transport.nics,
    }
    if transport.connections:
        facts["connections with GPUDirect"] = f"{transport.gdr_connections:,} of {transport.connections:,}"
    return _as_text({name: value for name, value in facts.items() if value is not None})


def _as_text(values: dict[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _counted(of_runs: Iterable[dict[str, str]]) -> list[dict[str, Any]]:
    """Return each name with its values, and in how many runs it has each."""
    counts: dict[str, dict[str, int]] = {}
    for values in of_runs:
        for name, value in values.items():
            of_name = counts.setdefault(name, {})
            of_name[value] = of_name.get(value, 0) + 1
    return [
        {"name": name, "values": [{"value": value, "runs": runs} for value, runs in of_name.items()]}
        for name, of_name in sorted(counts.items())
    ]


def _evidence(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return lines of the logs that findings rest on."""
    lines_by_run = []
    for number, judgement in enumerate(judgements, 1):
        run = judgement.case.run
        lines = [*run.failures[:5], *run.transport.evidence[:3]] if judgement.findings else []
        lines_by_run += [{"run": number, "line": line.line, "text": line.text[:300]} for line in lines]
    return lines_by_run[:_MOST_EVIDENCE]


def _scaling(judgements: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Return the series that say something about more than one node."""
    faulty = [judgement.case for judgement in judgements if judgement.verdict in _FAULTY]
    series = [
        all_of_kind
        for all_of_kind in all_series([judgement.case for judgement in judgements], faulty)
        if all_of_kind.base_nodes is not None
    ]
    return [_values(series_entry) for series_entry in series]


def _values(series: ScalingSeries) -> dict[str, Any]:
    return {
        "collective": series.collective,
        "instance_type": series.machine.name if series.machine is not None else None,
        "gpus_per_node": series.gpus_per_node,
        "size_bytes": series.size_bytes,
        "definition": _DEFINITION,
        "base_nodes": series.base_nodes,
        "single_node": series.why_not_one,
        "measured": [_point(point) for point in series.points],
        "forecast": [_forecast(forecast) for forecast in forecasts(series)],
    }


def _point(point: Point) -> dict[str, Any]:
    return {
        "nodes": point.nodes,
        "busbw_gb_s": point.busbw_gb_s,
        "efficiency": point.of_base,
        "efficiency_at_most": point.possible_of_base,
        "share_of_ceiling": point.of_ceiling,
        "ceiling_gb_s": point.ceiling.busbw_gb_s if point.ceiling is not None else None,
        "ceiling": point.ceiling.why if point.ceiling is not None else None,
    }


def _forecast(forecast: Forecast) -> dict[str, Any]:
    return {
        "nodes": forecast.nodes,
        "busbw_gb_s": forecast.busbw_gb_s,
        "least_gb_s": forecast.least_gb_s,
        "most_gb_s": forecast.most_gb_s,
        "ceiling_gb_s": forecast.ceiling.busbw_gb_s,
        "confidence": forecast.confidence,
        "basis": forecast.basis,
    }


def nodes(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Return the slow nodes, and the figures that can be drawn."""
    runs = [judgement.case.run for judgement in judgements]
    groups = [_node_group(runs, group) for group in speeds(runs)]
    return {
        "slow": [
            {"host": slow_node.host, "why": slow_node.why, "runs": [at + 1 for at in slow_node.runs]}
            for slow_node in slow_nodes(runs)
        ],
        "by_runs": groups,
        "by_processes": [processes for at, run in enumerate(runs, 1) if (processes := _processes(at, run)) is not None],
    }


def _node_group(runs: Sequence[Run], group: Sequence[Speed]) -> dict[str, Any]:
    """Return the best share that each node has reached, as a good run clears all its nodes, and that of each pair."""
    best: dict[str, float] = {}
    counts: dict[str, int] = {}
    for speed in group:
        for host in runs[speed.run].hosts:
            best[host] = max(best.get(host, 0.0), speed.share)
            counts[host] = counts.get(host, 0) + 1
    pairs = [{"hosts": runs[speed.run].hosts, "share": speed.share} for speed in group if len(speed.hosts) == 2]
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
