"""The report of runs: one HTML page without a script that asks nothing of anybody."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.render.html_page import add_row, add_table, name_cells, new_page, prose
from trainyard.render.markup import add, after, page
from trainyard.training.ledger.report_text import slowness, worth

_MOST_STARTS = 500
_TIME = ("Time", "Share", "GPU-hours", "USD", "What it is")
_STARTS = ("Begin (UTC)", "Hours", "Job", "Nodes", "End", "Useful")


def report_page(values: Mapping[str, Any]) -> str:
    """Return the page of a report's values."""
    title = ", ".join(run["run"] or "run" for run in values["runs"])
    root, whole = new_page(f"Training runs: {title}")
    header = add(whole, "header")
    add(header, "p", "trainyard run report", class_="brand")
    add(header, "h1", "What training runs were worth")
    add(header, "p", _period(values), class_="quiet")
    body = add(whole, "main")
    if len(values["runs"]) > 1 or values["outside"] is not None:
        plural = "s" * (len(values["runs"]) != 1)
        with_nodes = "" if values["outside"] is None else ", and nodes without one"
        _add_worth(body, values["total"], f"All {len(values['runs'])} run{plural}{with_nodes}")
    for run in values["runs"]:
        _add_worth(body, run, run["run"] or "run")
        for line in slowness(run):
            prose(add(body, "p"), line[0].upper() + line[1:])
        _add_starts(body, run)
    for note in values["notes"]:
        prose(add(body, "p"), note)
    price = values["usd_per_gpu_hour"]
    if price is not None:
        add(body, "p", f"A GPU-hour counts USD {price:,.2f}: {values['price_source']}.")
    made = "Made with `trainyard run report`. Useful are steps that count: not those that were done again."
    prose(add(add(whole, "footer"), "p"), made)
    return page(root)


def _period(values: Mapping[str, Any]) -> str:
    """Return from when to when the starts of all runs are."""
    starts = [start for run in values["runs"] for start in run["attempts"]]
    if not starts:
        return "When these runs were started is not known."
    first, last = min(start["begin_ms"] for start in starts), max(start["end_ms"] for start in starts)
    return f"From {_minute(first)} to {_minute(last)} UTC."


def _minute(time_ms: float) -> str:
    return f"{datetime.fromtimestamp(time_ms / 1000, UTC):%Y-%m-%d %H:%M}"


def _add_worth(body: ET.Element, values: Mapping[str, Any], title: str) -> None:
    add(body, "h2", title)
    for words in worth(values):
        prose(add(body, "p"), words[0].upper() + words[1:])
    if values.get("mtbf_h") is not None:
        add(body, "p", f"{count_text(values['interruptions'], 'interruption')}, one every {values['mtbf_h']:,.1f} h")
    table = add_table(body, _TIME)
    for part in values["time"]:
        row = add(table, "tr")
        add(row, "th", part["kind"], scope="row")
        share = add(add(row, "td"), "span", class_="number")
        after(add(share, "meter", value=f"{part['share']:.4f}"), f"{part['share']:.1%}")
        add(row, "td", f"{part['gpu_hours']:,.2f}", class_="number")
        add(row, "td", "" if part["usd"] is None else f"{part['usd']:,.0f}", class_="number")
        add(row, "td", part["meaning"])
        name_cells(row, _TIME)
    for note in values.get("notes", ()):
        prose(add(body, "p"), f"Note: {note}")


def _add_starts(body: ET.Element, run: Mapping[str, Any]) -> None:
    add(body, "h3", "Starts")
    table = add_table(body, _STARTS)
    for start in run["attempts"][:_MOST_STARTS]:
        total = sum(start["gpu_ms"].values())
        useful = start["gpu_ms"].get("productive", 0) / total if total else 0
        hours = (start["end_ms"] - start["begin_ms"]) / 3_600_000
        job = f"{start['job']}, start {start['restart']}"
        cells = (_minute(start["begin_ms"]), f"{hours:,.2f}", job, start["nodes"], start["state"], f"{useful:.1%}")
        add_row(table, _STARTS, cells)
    if len(run["attempts"]) > _MOST_STARTS:
        add(body, "p", f"{len(run['attempts']) - _MOST_STARTS} more starts are in the JSON.")
