"""Whether a run is healthy, with the evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from trainyard.bench.checks import CHECKS
from trainyard.bench.checks.bandwidth import LARGE_BYTES

if TYPE_CHECKING:
    from trainyard.bench.case import Case
    from trainyard.finding import Finding

Verdict = Literal["healthy", "degraded", "broken", "unknown"]


class Judgement(NamedTuple):
    """A run with its verdict."""

    case: Case
    verdict: Verdict
    findings: tuple[Finding, ...]
    """The worst first."""


def judge(case: Case) -> Judgement:
    """Return the verdict: broken where there is no valid measurement, degraded where it is not as it should be.

    Unknown where nothing is wrong, and too little is known or measured to call it healthy.
    """
    findings = tuple(finding for check in CHECKS for finding in check(case))
    severities = {finding.severity for finding in findings}
    if "error" in severities:
        return Judgement(case, "broken", findings)
    if "warning" in severities:
        return Judgement(case, "degraded", findings)
    large = any(row.size_bytes >= LARGE_BYTES for row in case.run.rows)
    compared = case.model is not None and not any(one.id == "bench-nothing-to-compare" for one in findings)
    return Judgement(case, "healthy" if compared and large else "unknown", findings)
