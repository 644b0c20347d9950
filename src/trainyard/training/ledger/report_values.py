"""What a ledger is worth, as the values that text, page and JSON show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.training.ledger.attempt import KINDS, MEANINGS
from trainyard.training.ledger.ledger import AttemptLedger, Ledger

_HOUR_MS = 3_600_000


def report_values(
    ledgers: Sequence[Ledger],
    usd_per_gpu_hour: float | None,
    price_source: str | None,
    notes: Sequence[str] = (),
    outside_gpu_ms: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Return the values of a report on some runs. What cannot be known is None, never a guess.

    ``outside_gpu_ms`` is what the nodes of their cluster cost without any run.
    """
    runs = [_run(ledger, usd_per_gpu_hour) for ledger in ledgers]
    own = dict(outside_gpu_ms or {})
    sums = {kind: sum(run["gpu_ms"][kind] for run in runs) + own.get(kind, 0) for kind in KINDS}
    return {
        "usd_per_gpu_hour": usd_per_gpu_hour,
        "price_source": price_source,
        "runs": runs,
        "outside": None
        if outside_gpu_ms is None
        else _worth({kind: own.get(kind, 0) for kind in KINDS}, usd_per_gpu_hour),
        "total": {"runs": len(runs), **_worth(sums, usd_per_gpu_hour)},
        "notes": list(notes),
    }


def _run(ledger: Ledger, usd_per_gpu_hour: float | None) -> dict[str, Any]:
    worth = _worth(ledger.gpu_ms(), usd_per_gpu_hour)
    # Without steps that are known there is no share of effective time, only time that nobody can judge.
    is_judged = worth["goodput"] is not None
    return {
        "run": ledger.run,
        "gpus": max((item.attempt.gpu_count for item in ledger.attempts), default=0),
        "starts": len(ledger.attempts),
        "interruptions": ledger.interruptions,
        "mtbf_h": ledger.running_ms / ledger.interruptions / _HOUR_MS if ledger.interruptions else None,
        "wall_h": ledger.wall_ms / _HOUR_MS,
        "ettr": ledger.useful_ms / ledger.wall_ms if ledger.wall_ms and is_judged else None,
        "steps": ledger.steps,
        "step_s": None if ledger.step_ms is None else ledger.step_ms / 1000,
        "tokens": ledger.tokens or None,
        "utilisation": None,
        "stragglers": None,
        "flight_recorder": None,
        "queue_gpu_hours": ledger.queue_gpu_ms / _HOUR_MS,
        **worth,
        "attempts": [_attempt(item) for item in ledger.attempts],
        "notes": list(ledger.notes),
    }


def _worth(gpu_ms: dict[str, int], usd_per_gpu_hour: float | None) -> dict[str, Any]:
    total, useful, unknown = sum(gpu_ms.values()), gpu_ms["productive"], gpu_ms["unknown"]
    usd = None if usd_per_gpu_hour is None else total / _HOUR_MS * usd_per_gpu_hour
    time = [
        {
            "kind": kind,
            "meaning": MEANINGS[kind],
            "gpu_hours": spent / _HOUR_MS,
            "share": spent / total,
            "usd": None if usd_per_gpu_hour is None else spent / _HOUR_MS * usd_per_gpu_hour,
        }
        for kind, spent in gpu_ms.items()
        if spent
    ]
    is_judged = total > unknown
    return {
        "gpu_hours": total / _HOUR_MS,
        "goodput": useful / total if is_judged else None,
        "goodput_at_most": (useful + unknown) / total if total else None,
        "usd": usd,
        "usd_per_useful_gpu_hour": usd / (useful / _HOUR_MS) if usd is not None and useful else None,
        "time": time,
        "gpu_ms": gpu_ms,
    }


def _attempt(item: AttemptLedger) -> dict[str, Any]:
    attempt = item.attempt
    return {
        "job": attempt.job,
        "restart": attempt.restart,
        "begin_ms": attempt.begin_ms,
        "end_ms": attempt.end_ms,
        "state": "RUNNING" if attempt.is_running else attempt.state,
        "nodes": len(attempt.gpus),
        "gpus": attempt.gpu_count,
        "gpu_ms": item.gpu_ms(),
    }
