"""What was found, in sentences that can be sent to somebody who has not seen the cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.bench.report.figures import gb_s, share, size
from trainyard.counts import count_text

_HEADLINES = {
    "healthy": "Healthy",
    "degraded": "Not as it should be",
    "broken": "Broken",
    "unknown": "Cannot be judged",
}
_MOST_CHARTS = 6
_NAMES = {
    "nccl": "NCCL",
    "cuda": "CUDA",
    "plugin": "aws-ofi-nccl",
    "driver": "driver",
    "efa-installer": "EFA installer",
}


def headline(values: Mapping[str, Any]) -> str:
    """Return the verdict on everything in one line."""
    runs = values["runs"]
    alike = [run for run in runs if run["verdict"] == values["verdict"]]
    kinds = {run["collective"] or "an unknown collective" for run in runs}
    named = ", ".join(sorted(kinds)) if len(kinds) <= 3 else count_text(len(kinds), "collective")
    return f"{_HEADLINES[values['verdict']]}: {len(alike):,} of {count_text(len(runs), 'run')} of {named}"


def origin(values: Mapping[str, Any]) -> str:
    """Return on which cluster the runs were made and when, or that they do not say it."""
    where = f"of {', '.join(values['clusters'])}" if values["clusters"] else "of a cluster that they do not name"
    days = sorted({str(run["began"])[:10] for run in values["runs"] if run["began"]})
    runs = count_text(len(values["runs"]), "run")
    if not days:
        return f"{runs} {where}, made at a time that they do not tell."
    when = f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"
    unknown = sum(not run["began"] for run in values["runs"])
    beside = f", and {unknown:,} at a time that nothing tells" if unknown else ""
    return f"{runs} {where}, made {when}{beside}."


def summary(values: Mapping[str, Any]) -> list[str]:
    """Return what a reader should know, the most important first."""
    return [
        *_slow_nodes(values), *_worst(values), *_charts(values), *_compared(values), *_scaling(values),
        *_software(values),
    ]  # fmt: skip


def _slow_nodes(values: Mapping[str, Any]) -> Iterator[str]:
    for node in values["nodes"]["slow"]:
        yield f"{node['host']} is slower than the other nodes: {node['why']}."


def _worst(values: Mapping[str, Any]) -> Iterator[str]:
    for finding in values["findings"]:
        if finding["severity"] != "info" and finding["id"] != "bench-slow-node":
            runs = {number for message in finding["messages"] for number in message["runs"]}
            yield f"{finding['title']} in {count_text(len(runs), 'run')}: {finding['messages'][0]['message']}."


def _charts(values: Mapping[str, Any]) -> Iterator[str]:
    runs = {run["number"]: run for run in values["runs"]}
    for chart in values["charts"][:_MOST_CHARTS]:
        of_chart = [runs[run["number"]] for run in chart["runs"]]
        best = max(of_chart, key=lambda chart_run: chart_run["max_busbw_gb_s"] or 0.0)
        if best["max_busbw_gb_s"] is None:
            continue
        text = (
            f"{chart['title']} reached {gb_s(best['max_busbw_gb_s'])} {chart['bandwidth_unit']} of bus bandwidth at "
            f"{size(best['at_size_bytes'])}"
        )
        if len(of_chart) > 1:
            least = min(chart_run["max_busbw_gb_s"] or 0.0 for chart_run in of_chart)
            text += f" in the best of {len(of_chart):,} runs and {gb_s(least)} in the worst"
        yield f"{text}{_beside(best, chart)}."
    if len(values["charts"]) > _MOST_CHARTS:
        yield f"{count_text(len(values['charts']) - _MOST_CHARTS, 'more test')} below."


def _beside(best: Mapping[str, Any], chart: Mapping[str, Any]) -> str:
    if best["expected_gb_s"] is None and best["ceiling_gb_s"] is not None and best["at_size_bytes"]:
        of_top = share(best["max_busbw_gb_s"] / best["ceiling_gb_s"])
        return f": {of_top} of the {gb_s(best['ceiling_gb_s'])} that its GPUs can; its network is not known"
    if best["expected_gb_s"] is None:
        return "; nothing is known to hold it against"
    reached = best["max_busbw_gb_s"] / best["expected_gb_s"]
    return (
        f": {share(reached)} of the {gb_s(best['expected_gb_s'])} that are expected (confidence "
        f"{chart['confidence']}), and {share(best['max_busbw_gb_s'] / best['ceiling_gb_s'])} of the "
        f"{gb_s(best['ceiling_gb_s'])} that are possible"
    )


def _compared(values: Mapping[str, Any]) -> Iterator[str]:
    compared = [run["baseline"]["verdict"] for run in values["runs"] if run["baseline"] is not None]
    if compared:
        counts = ", ".join(f"{compared.count(fromkey)} {fromkey}" for fromkey in dict.fromkeys(compared))
        yield f"Beside earlier runs: {counts}."


def _scaling(values: Mapping[str, Any]) -> Iterator[str]:
    for series in values["scaling"]:
        larger = [point for point in series["measured"] if point["nodes"] > series["base_nodes"]]
        if larger:
            last = larger[-1]
            at_most = last["efficiency_at_most"]
            most = (
                f", where the hardware allows {share(at_most)} at most" if at_most is not None and at_most < 1 else ""
            )
            yield (
                f"{series['collective']} keeps {share(last['efficiency'])} of its bus bandwidth "
                f"from {series['base_nodes']} "
                f"to {last['nodes']} nodes at {size(series['size_bytes'])}{most}."
            )


def _software(values: Mapping[str, Any]) -> Iterator[str]:
    values_by_name = {version["name"]: version["values"] for version in values["versions"]}
    texts = [
        f"{_NAMES.get(name, name)} {' and '.join(version['value'] for version in of_name)}"
        for name, of_name in values_by_name.items()
    ]
    if texts:
        yield f"Software: {', '.join(texts)}."
    network = {fact["name"]: ", ".join(each["value"] for each in fact["values"]) for fact in values["network"]}
    if network:
        yield f"Network: {'; '.join(f'{name} {value}' for name, value in network.items())}."
