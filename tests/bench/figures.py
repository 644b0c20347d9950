"""Figures of bandwidth tests that others have published, each with its source and a person's verdict: figures.json.

The outputs themselves stay with those who published them; tests/bench/test_corpus.py reads them where they are there.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trainyard.bench.result import Device, Evidence, Measurement, Row, Run, Transport

FILE = Path(__file__).with_name("figures.json")


def published_figures() -> list[dict[str, Any]]:
    """Return all cases: source, instance_type, nodes, verdict, verdict_reason, and the figures as run."""
    found: list[dict[str, Any]] = json.loads(FILE.read_text())
    return found


def run_of(figures: dict[str, Any]) -> Run:
    """Return a run of its figures."""
    rows = [
        Row(size, elements, dtype, redop, root, _measurement(out_of_place), _measurement(in_place), line)
        for size, elements, dtype, redop, root, out_of_place, in_place, line in figures["rows"]
    ]
    transport = figures.get("transport", {})
    evidence = [Evidence(*one) for one in transport.get("evidence", ())]
    bounds = figures.get("out_of_bounds")
    return Run(
        **{
            **figures,
            "rows": rows,
            "devices": [Device(*device) for device in figures.get("devices", ())],
            "failures": [Evidence(*failure) for failure in figures.get("failures", ())],
            "transport": Transport(**{**transport, "evidence": evidence}),
            "out_of_bounds": None if bounds is None else tuple(bounds),
        }
    )


def figures_of(run: Run) -> dict[str, Any]:
    """Return the figures of a run as they are kept: what is not said is left out, and what lines say."""
    bare, values = asdict(Run()), asdict(run)
    values["transport"]["evidence"] = [(evidence.line, "") for evidence in run.transport.evidence[:1]]
    said = {key: value for key, value in values.items() if value != bare[key] or key == "rows"}
    plain: dict[str, Any] = json.loads(json.dumps(said))
    return plain


def _measurement(values: list[Any] | None) -> Measurement | None:
    return None if values is None else Measurement(*values)
