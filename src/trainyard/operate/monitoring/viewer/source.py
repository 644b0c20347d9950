"""Whoever has the metrics, as far as the page asks: `edge/prometheus_api.py` is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from trainyard.edge.prometheus_api import Labels, Sample, Series


class MetricsSource(Protocol):
    """Answers queries. Every method raises TrainyardError where it cannot."""

    url: str

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        """Return what an expression gives at one moment, by default now."""

    def measured_query(self, expr: str, at_s: float | None = None) -> tuple[list[Sample], int | None]:
        """Return the same, and how many samples were read for it."""

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        """Return what it gives at every step."""

    def series(self, matchers: Iterable[str], start_s: float | None = None, end_s: float | None = None) -> list[Labels]:
        """Return the labels of all series that one of the matchers selects."""

    def label_values(
        self, label: str, matchers: Iterable[str] = (), start_s: float | None = None, end_s: float | None = None
    ) -> list[str]:
        """Return all values of a label, sorted."""

    def rules(self) -> list[dict[str, Any]]:
        """Return the groups of rules."""

    def expect_ready(self) -> None:
        """Raise TrainyardError where it does not answer."""
