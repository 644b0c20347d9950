"""The report as text: verdict, what was found, and the tables, in columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainyard.bench.report.figures import gb_s, share, size
from trainyard.bench.report.sentences import origin
from trainyard.counts import count_text
from trainyard.render.markup import markup_text

_MOST_RUNS = 40
_MOST_NAME = 44
_MOST_MESSAGES = 5
_WORST = ("broken", "degraded", "unknown", "healthy")


def report_text(values: Mapping[str, Any]) -> str:
    """Return the same facts as the page, without its pictures."""
    lines = [values["headline"], "", f"  {origin(values)}"]
    lines += [f"  {sentence}" for sentence in values["summary"]]
    lines += ["", *_runs(values["runs"])]
    for series in values["scaling"]:
        lines += ["", *_scaling(series)]
    for finding in values["findings"]:
        lines += ["", *_finding(finding)]
    return "\n".join(" ".join(markup_text(line).splitlines()) if line else "" for line in lines)


def _runs(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    ordered = sorted(runs, key=lambda run: (_WORST.index(run["verdict"]), run["max_busbw_gb_s"] or 0.0))
    head = ("run", "name", "verdict", "collective", "nodes", "ranks", "GB/s", "at", "expected", "ceiling")
    rows = [head, *(_run(run) for run in ordered[:_MOST_RUNS])]
    yield from _columns(rows, right={4, 5, 6, 8, 9})
    if len(ordered) > _MOST_RUNS:
        yield f"and {count_text(len(ordered) - _MOST_RUNS, 'more run')}, no worse than these"


def _run(run: Mapping[str, Any]) -> tuple[str, ...]:
    at = "" if run["at_size_bytes"] is None else size(run["at_size_bytes"])
    name = run["name"] if len(run["name"]) <= _MOST_NAME else f"…{run['name'][1 - _MOST_NAME :]}"
    return (
        str(run["number"]), name, run["verdict"], run["collective"] or "unknown", str(run["nodes"] or "?"),
        str(run["ranks"] or "?"), gb_s(run["max_busbw_gb_s"]), at, gb_s(run["expected_gb_s"]),
        gb_s(run["ceiling_gb_s"]),
    )  # fmt: skip


def _scaling(series: Mapping[str, Any]) -> Iterator[str]:
    machine = series["instance_type"] or "an unknown machine"
    yield f"{series['collective']} on {machine} at {size(series['size_bytes'])}, by number of nodes"
    rows = [("nodes", "GB/s", "efficiency", "at most", "of ceiling", "ceiling", "")]
    rows += [
        (
            str(point["nodes"]), gb_s(point["busbw_gb_s"]), share(point["efficiency"]) or "no base",
            share(point["efficiency_at_most"]), share(point["share_of_ceiling"]),
            gb_s(point["ceiling_gb_s"]), "measured",
        )
        for point in series["measured"]
    ]  # fmt: skip
    rows += [
        (
            str(point["nodes"]), gb_s(point["busbw_gb_s"]), "", "", "", gb_s(point["ceiling_gb_s"]),
            f"forecast, {gb_s(point['least_gb_s'])} to {gb_s(point['most_gb_s'])}, confidence {point['confidence']}",
        )
        for point in series["forecast"]
    ]  # fmt: skip
    yield from _columns(rows, right={0, 1, 2, 3, 4, 5})
    if series["single_node"]:
        yield series["single_node"]


def _finding(finding: Mapping[str, Any]) -> Iterator[str]:
    yield f"{finding['severity']}: {finding['title']} [{finding['id']}]"
    for message in finding["messages"][:_MOST_MESSAGES]:
        runs = ", ".join(map(str, message["runs"][:8])) + (" …" if len(message["runs"]) > 8 else "")
        yield f"  run {runs}: {message['message']}"
    if len(finding["messages"]) > _MOST_MESSAGES:
        yield f"  and {len(finding['messages']) - _MOST_MESSAGES:,} more"
    yield f"  what to do: {finding['remedy']}"


def _columns(rows: Sequence[tuple[str, ...]], right: set[int]) -> Iterator[str]:
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
