"""The report of runs: one HTML page without a script that asks nothing of anybody."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.render.markup import add, page
from trainyard.training.ledger.report_text import slowness, worth

_MOST_STARTS = 500


def report_page(values: Mapping[str, Any]) -> str:
    """Return the page of a report's values."""
    root = ET.Element("html", {"lang": "en"})
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    allowed = f"'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'"
    head = add(root, "head")
    add(head, "meta", charset="utf-8")
    rules = f"default-src 'none'; style-src {allowed}; base-uri 'none'; form-action 'none'"
    add(head, "meta", http_equiv="Content-Security-Policy", content=rules)
    add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    add(head, "title", "Training runs: " + ", ".join(run["run"] or "run" for run in values["runs"]))
    add(head, "style").text = style
    body = add(add(root, "body"), "main")
    add(body, "h1", "What training runs were worth")
    if len(values["runs"]) > 1 or values["outside"] is not None:
        plural = "s" * (len(values["runs"]) != 1)
        with_nodes = "" if values["outside"] is None else ", and nodes without one"
        _add_worth(body, values["total"], f"All {len(values['runs'])} run{plural}{with_nodes}")
    for run in values["runs"]:
        _add_worth(body, run, run["run"] or "run")
        for line in slowness(run):
            add(body, "p", line[0].upper() + line[1:])
        _add_starts(body, run)
    for note in values["notes"]:
        add(body, "p", note)
    price = values["usd_per_gpu_hour"]
    if price is not None:
        add(body, "p", f"A GPU-hour counts USD {price:,.2f}: {values['price_source']}.")
    add(body, "p", "Made with `trainyard run report`. Useful are steps that count: not those that were done again.")
    return page(root)


def _add_worth(body: ET.Element, values: Mapping[str, Any], title: str) -> None:
    add(body, "h2", title)
    for words in worth(values):
        add(body, "p", words[0].upper() + words[1:])
    if values.get("mtbf_h") is not None:
        add(body, "p", f"{values['interruptions']} interruptions, one every {values['mtbf_h']:,.1f} h")
    table = add(body, "table")
    row = add(table, "tr")
    for name in ("Time", "Share", "GPU-hours", "USD", "What it is"):
        add(row, "th", name)
    for part in values["time"]:
        row = add(table, "tr")
        add(row, "td", part["kind"])
        share = add(row, "td", f"{part['share']:.1%} ")
        add(share, "meter", value=f"{part['share']:.4f}")
        add(row, "td", f"{part['gpu_hours']:,.2f}")
        add(row, "td", "" if part["usd"] is None else f"{part['usd']:,.0f}")
        add(row, "td", part["meaning"])
    for note in values.get("notes", ()):
        add(body, "p", f"Note: {note}")


def _add_starts(body: ET.Element, run: Mapping[str, Any]) -> None:
    add(body, "h3", "Starts")
    table = add(body, "table")
    row = add(table, "tr")
    for name in ("Begin (UTC)", "Hours", "Job", "Nodes", "End", "Useful"):
        add(row, "th", name)
    for start in run["attempts"][:_MOST_STARTS]:
        row = add(table, "tr")
        total = sum(start["gpu_ms"].values())
        useful = start["gpu_ms"].get("productive", 0) / total if total else 0
        begin = datetime.fromtimestamp(start["begin_ms"] / 1000, UTC)
        hours = (start["end_ms"] - start["begin_ms"]) / 3_600_000
        job = f"{start['job']}, start {start['restart']}"
        cells = (f"{begin:%Y-%m-%d %H:%M}", f"{hours:,.2f}", job, start["nodes"], start["state"], f"{useful:.1%}")
        for cell in cells:
            add(row, "td", cell)
    if len(run["attempts"]) > _MOST_STARTS:
        add(body, "p", f"{len(run['attempts']) - _MOST_STARTS} more starts are in the JSON.")
