"""What can be wrong with a run, as checks: each takes a case and yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.bench.case import Case
from trainyard.bench.checks import bandwidth, environment, ranks, results, versions
from trainyard.finding import Finding

CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    results.ending_findings,
    results.wrong_results,
    ranks.rank_findings,
    environment.network_findings,
    bandwidth.bandwidth_findings,
    bandwidth.bandwidth_collapse,
    bandwidth.one_slow_size,
    environment.harmful_settings,
    versions.version_findings,
)
"""The worst first."""
