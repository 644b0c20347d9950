"""A Prometheus whose series a test says, and which writes down what it was asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from trainyard.edge.prometheus_api import Labels, Sample, Series
from trainyard.errors import TrainyardError

_NODES = re.compile(r'node_name=~"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")


@dataclass
class FakeSource:
    """Series of constant values. A query gives all of them whose label node_name its pattern allows."""

    values: list[tuple[Labels, float]] = field(default_factory=list)
    compares: bool = False
    """Whether values depend on how many nodes are asked about, as a distance from their mean does."""
    read: int | None = None
    targets: list[Labels] = field(default_factory=list)
    label_names: dict[str, list[str]] = field(default_factory=dict)
    groups: list[dict[str, Any]] = field(default_factory=list)
    fails: TrainyardError | None = None
    before: Callable[[str], None] = lambda _: None
    url: str = "http://prometheus:9090"
    instants: list[str] = field(default_factory=list)
    ranges: list[tuple[str, float, float, float]] = field(default_factory=list)
    matchers: list[tuple[str, list[str]]] = field(default_factory=list)

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        return self.measured_query(expr, at_s)[0]

    def measured_query(self, expr: str, at_s: float | None = None) -> tuple[list[Sample], int | None]:
        self.instants.append(expr)
        return [Sample(labels, at_s or 0.0, value) for labels, value in self._found(expr)], self.read

    def query_range(self, expr: str, start_s: float, end_s: float, step_s: float) -> list[Series]:
        self.ranges.append((expr, start_s, end_s, step_s))
        times = [start_s + step * step_s for step in range(int((end_s - start_s) // step_s) + 1)]
        return [Series(labels, [(at_s, value) for at_s in times]) for labels, value in self._found(expr)]

    def series(self, matchers: Iterable[str], start_s: float | None = None, end_s: float | None = None) -> list[Labels]:
        del start_s, end_s
        self._answer("series")
        self.matchers.append(("series", list(matchers)))
        return self.targets

    def label_values(
        self, label: str, matchers: Iterable[str] = (), start_s: float | None = None, end_s: float | None = None
    ) -> list[str]:
        del start_s, end_s
        self._answer(label)
        self.matchers.append((label, list(matchers)))
        return sorted(self.label_names.get(label, []))

    def rules(self) -> list[dict[str, Any]]:
        self._answer("rules")
        return self.groups

    def expect_ready(self) -> None:
        self._answer("ready")

    def _found(self, expr: str) -> list[tuple[Labels, float]]:
        self._answer(expr)
        pattern = _NODES.search(expr)
        wanted = re.compile(_ESCAPE.sub(_meant, pattern[1]) if pattern else ".*", re.DOTALL)  # as Prometheus does
        found = [one for one in self.values if wanted.fullmatch(one[0].get("node_name", ""))]
        return [(labels, value - len(found)) for labels, value in found] if self.compares else found

    def _answer(self, asked: str) -> None:
        self.before(asked)
        if self.fails is not None:
            raise self.fails


def _meant(escape: re.Match[str]) -> str:
    return "\n" if escape[1] == "n" else escape[1]
