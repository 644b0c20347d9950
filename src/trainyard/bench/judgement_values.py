"""A judgement as the plain values that programs read: docs/json.md describes them."""

from __future__ import annotations

from typing import Any

from trainyard.bench.baseline import BaselineComparison
from trainyard.bench.judge import Judgement
from trainyard.bench.result import Measurement, Row, busbw


def values_of(file: str, judgement: Judgement) -> dict[str, Any]:
    """Return a run with its verdict."""
    case, run = judgement.case, judgement.case.run
    best = run.best
    return {
        "file": file,
        "tool": run.tool,
        "collective": run.collective,
        "dtype": run.rows[0].dtype if run.rows else None,
        "nodes": case.nodes,
        "ranks": run.ranks,
        "began": run.began,
        "instance_type": case.machine.name if case.machine is not None else None,
        "rows": [_row(row) for row in run.rows],
        "max_busbw_gb_s": busbw(best) if best is not None else None,
        "at_size_bytes": best.size_bytes if best is not None else None,
        "bandwidth_unit": run.bandwidth_unit,
        "wrong_total": run.wrong_total,
        "provider": run.transport.provider,
        "network": run.transport.network,
        "nics": run.transport.nics,
        "versions": dict(run.versions),
        "damaged_rows": run.damaged_rows,
        "truncated": _is_truncated(judgement),
        "verdict": judgement.verdict,
        "expected": _expected(judgement),
        "baseline": None if judgement.compared is None else _compared(judgement.compared),
        "findings": [finding._replace(file=file).as_json() for finding in judgement.findings],
    }


def _is_truncated(judgement: Judgement) -> bool:
    """Return whether the test ended early, or the file does in the middle of a row."""
    run = judgement.case.run
    cut = bool(run.damaged_rows) and not run.concluded and run.average_busbw_gb_s is None
    return cut or any(finding.id in {"bench-run-died", "bench-no-rows"} for finding in judgement.findings)


def _compared(comparison: BaselineComparison) -> dict[str, Any]:
    return {
        "verdict": comparison.verdict,
        "sizes": comparison.pairs,
        "busbw_ratio": comparison.ratio,
        "chance": comparison.chance,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "size_bytes": row.size_bytes,
        "count": row.elements,
        "out_of_place": _measurement(row.out_of_place),
        "in_place": _measurement(row.in_place),
    }


def _measurement(measurement: Measurement | None) -> dict[str, Any] | None:
    if measurement is None:
        return None
    return {
        "time_us": measurement.time_us,
        "algbw_gb_s": measurement.algbw_gb_s,
        "busbw_gb_s": measurement.busbw_gb_s,
        "wrong": measurement.wrong,
    }


def _expected(judgement: Judgement) -> dict[str, Any] | None:
    """Return what the run was held against, at its best size; None where there was nothing."""
    model, best = judgement.case.model, judgement.case.run.best
    if model is None or best is None or best.size_bytes == 0:
        return None
    expectation = judgement.case.expectation
    at = None if expectation is None else expectation.at(best.size_bytes)
    return {
        "busbw_gb_s": None if at is None else at.busbw_gb_s,
        "least_gb_s": None if at is None else at.least_gb_s,
        "ceiling_gb_s": model.ceiling.busbw_gb_s,
        "ceiling": model.ceiling.why,
        "confidence": None if expectation is None else expectation.confidence,
        "basis": None if expectation is None else expectation.basis,
        "sources": [] if expectation is None else list(expectation.sources),
    }
