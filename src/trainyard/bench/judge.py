"""Whether a run is healthy, with the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from trainyard.bench.baseline import BaselineComparison, compare_runs
from trainyard.bench.case import Case
from trainyard.bench.checks import CHECKS
from trainyard.bench.checks.bandwidth import LARGE_BYTES
from trainyard.bench.result import Run
from trainyard.bench.slow_nodes import slow_nodes
from trainyard.finding import SEVERITIES, Finding

# Findings that leave open whether a run is as it should be.
_UNDECIDED = {"bench-nothing-to-compare", "bench-ranks-do-not-fit", "bench-impossible"}
Verdict = Literal["healthy", "degraded", "broken", "unknown"]


class Judgement(NamedTuple):
    """A run with its verdict."""

    case: Case
    verdict: Verdict
    findings: tuple[Finding, ...]
    """The worst first."""
    compared: BaselineComparison | None = None
    """The run beside an earlier one; None where there is no such."""


def judge(case: Case, earlier: Run | None = None) -> Judgement:
    """Return the verdict: broken where there is no valid measurement, degraded where it is not as it should be.

    Unknown where nothing is wrong, and too little is known or measured to call it healthy. ``earlier`` is a run of the
    same collective that it must not be slower than.
    """
    compared = None if earlier is None else compare_runs(case.run, earlier)
    findings = [finding for check in CHECKS for finding in check(case)]
    if compared is not None and compared.verdict == "slower":
        findings.append(_slower(case, compared))
    judgement = _judgement(case, tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))))
    return judgement._replace(compared=compared)


def judge_together(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the same judgements with what only several runs, or several nodes of one, can show: slow nodes."""
    more: dict[int, list[Finding]] = {}
    for node in slow_nodes([judgement.case.run for judgement in judgements]):
        for at in node.runs:
            more.setdefault(at, []).append(judgements[at].case.finding("bench-slow-node", node.why))
    return [_with(judgement, more.get(at, [])) for at, judgement in enumerate(judgements)]


def _with(judgement: Judgement, more: list[Finding]) -> Judgement:
    if not more:
        return judgement
    findings = sorted((*judgement.findings, *more), key=lambda finding: SEVERITIES.index(finding.severity))
    return _judgement(judgement.case, tuple(findings))._replace(compared=judgement.compared)


def _slower(case: Case, compared: BaselineComparison) -> Finding:
    less = 1 - (compared.ratio or 1)
    message = f"{less:.0%} slower than before at {compared.pairs} sizes; {compared.by_chance}"
    return case.finding("bench-slower-than-before", message)


def _judgement(case: Case, findings: tuple[Finding, ...]) -> Judgement:
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return Judgement(case, "broken", findings)
    if "warning" in severities:
        return Judgement(case, "degraded", findings)
    large = any(row.size_bytes >= LARGE_BYTES for row in case.run.rows)
    compared = case.model is not None and not any(finding.id in _UNDECIDED for finding in findings)
    return Judgement(case, "healthy" if compared and large else "unknown", findings)
