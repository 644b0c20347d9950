"""Results of bandwidth tests as metrics, for the textfile collector of node_exporter: the newest run of each kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from trainyard.render.exposition_text import gauge, label_value

# A plan has some dozens of tests. What a folder of strange files could make of it is bounded.
_MOST_KINDS = 200
_LONGEST_LABEL = 64
_BYTES = {"GB/s": 1e9, "GiB/s": 2.0**30}
# The name of each metric, its help, and the key of a run that it is made of.
_METRICS = (
    ("busbw_bytes_per_second", "Highest bus bandwidth of the newest run of a bandwidth test.", "max_busbw_gb_s"),
    (
        "expected_busbw_bytes_per_second",
        "What is expected of a healthy cluster at the size of that bandwidth.",
        "expected_gb_s",
    ),
)  # fmt: skip
_BEGAN = ("began_timestamp_seconds", "When that run began, in seconds since 1970.")


def report_metrics(values: Mapping[str, Any]) -> str:
    """Return the metrics of a report's values. What is not known has no sample."""
    newest = _newest(values["runs"])
    lines: list[str] = []
    for name, text, key in _METRICS:
        known = [(labels, run[key] * _BYTES[run["bandwidth_unit"]]) for labels, run in newest.items() if run[key]]
        lines += gauge(f"trainyard_bench_{name}", text, known)
    times = [(labels, began_s) for labels, run in newest.items() if (began_s := _began_s(run)) is not None]
    name, text = _BEGAN
    return "".join([*lines, *gauge(f"trainyard_bench_{name}", text, times)])


def _newest(runs: Sequence[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the last run of each kind that measured something; of those that tell no time, the last in their order."""
    measured = [run for run in runs if run["max_busbw_gb_s"] and run["collective"] and run["bandwidth_unit"] in _BYTES]
    in_order = sorted(measured, key=lambda run: _began_s(run) or 0.0)
    newest = {_labels(run): run for run in in_order}
    return dict(sorted(newest.items())[:_MOST_KINDS])


def _labels(run: Mapping[str, Any]) -> str:
    # instance_type is the label that every series has of the node that tells it: the head node.
    labels = {
        "collective": run["collective"],
        "tested_instance_type": run["instance_type"] or "",
        "nodes": run["nodes"] or "",
        "ranks": run["ranks"] or "",
    }
    return ",".join(f'{name}="{label_value(value, _LONGEST_LABEL)}"' for name, value in labels.items())


def _began_s(run: Mapping[str, Any]) -> float | None:
    """Return when a run began, None where it does not say it, or not in which zone."""
    try:
        began = datetime.fromisoformat(run["began"] or "")
    except ValueError:
        return None
    return None if began.tzinfo is None else began.timestamp()
