"""What can be wrong with a run, one file a check: ``check(case)`` yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trainyard.bench.case import Case
from trainyard.bench.checks import bandwidth, collapse, ending, environment, network, results, versions
from trainyard.finding import Finding

CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    ending.check,
    results.check,
    network.check,
    bandwidth.check,
    collapse.check,
    environment.check,
    versions.check,
)
"""The worst first."""
