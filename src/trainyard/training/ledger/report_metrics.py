"""The report of runs as metrics, for the textfile collector of node_exporter or a Pushgateway."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.render.exposition_text import gauge, label_value

_HOUR_S = 3600
_LONGEST_LABEL = 512


def report_metrics(values: Mapping[str, Any]) -> str:
    """Return the metrics of a report's values. What is not known has no sample."""
    families = {
        "trainyard_run_gpu_seconds": ("GPU-seconds that a run was allocated, by what they were.", _gpu_seconds(values)),
        "trainyard_run_goodput_ratio": ("Share of useful GPU-seconds in all of a run.", _of(values, "goodput", 1)),
        "trainyard_run_effective_time_ratio": (
            "Share of steps that count in the time from the first start of a run to its last end.",
            _of(values, "ettr", 1),
        ),
        "trainyard_run_mtbf_seconds": ("Mean time between interruptions of a run.", _of(values, "mtbf_h", _HOUR_S)),
        "trainyard_run_interruptions": ("Interruptions of a run so far.", _of(values, "interruptions", 1)),
        "trainyard_run_usd_per_useful_gpu_hour": (
            "What a useful GPU-hour of a run cost, in US dollars.",
            _of(values, "usd_per_useful_gpu_hour", 1),
        ),
        "trainyard_run_mfu_ratio": ("Model FLOPs utilisation of a run by the dense peak of its GPUs.", _mfu(values)),
        "trainyard_nodes_without_run_gpu_seconds": (
            "GPU-seconds of nodes that no run had, by what they were.",
            _outside(values["outside"]),
        ),
    }  # fmt: skip
    return "".join(line for name, (text, samples) in families.items() for line in gauge(name, text, samples))


def _gpu_seconds(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for run in values["runs"]:
        for kind, spent_ms in run["gpu_ms"].items():
            yield f'{_run(run)},kind="{kind}"', spent_ms / 1000


def _outside(outside: Mapping[str, Any] | None) -> Iterator[tuple[str, float]]:
    for part in [] if outside is None else outside["time"]:
        yield f'kind="{part["kind"]}"', part["gpu_hours"] * _HOUR_S


def _of(values: Mapping[str, Any], key: str, factor: float) -> Iterator[tuple[str, float]]:
    return ((_run(run), run[key] * factor) for run in values["runs"] if run[key] is not None)


def _mfu(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for run in values["runs"]:
        if run["utilisation"] is not None and run["utilisation"]["mfu"] is not None:
            yield _run(run), run["utilisation"]["mfu"]


def _run(run: Mapping[str, Any]) -> str:
    return f'run="{label_value(run["run"], _LONGEST_LABEL)}"'
