"""Of which series a query wants the first few: ``topk(20, …)`` and ``bottomk(20, …)``.

Asked over a time, topk picks anew at every step, and the lines of a large cluster fall to pieces. So what is inside of
it is asked, and the first few are those of the newest moment.
"""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from trainyard.edge.prometheus_api import Sample
from trainyard.monitoring.dashboard import dashboards

_RANKED = re.compile(r"\s*(topk|bottomk)\s*\(\s*([0-9]{1,4})\s*,(.*)\)\s*", re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')


class Ranking(NamedTuple):
    """A query without its ranking, and the ranking."""

    expr: str
    most: int
    lowest: bool = False

    def first(self, samples: list[Sample]) -> list[Sample]:
        """Return the first few, NaN last."""
        if len(samples) <= self.most:
            return samples
        return sorted(samples, key=self._place)[: self.most]

    def _place(self, sample: Sample) -> float:
        if math.isnan(sample.value):
            return math.inf
        return sample.value if self.lowest else -sample.value


def ranking(expr: str, most: int) -> Ranking:
    """Return what a query ranks, and by what. ``most``: what there is room for."""
    match = _RANKED.fullmatch(expr)
    if match is None or not _is_one_argument(match[3]):
        return Ranking(expr, most)
    return Ranking(match[3].strip(), min(most, int(match[2])), match[1] == "bottomk")


@cache
def node_series() -> dict[str, str]:
    """Return the recorded series by the queries that it is for."""
    content: dict[str, dict[str, str]] = yaml.load(
        Path(__file__).with_name("first_nodes.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return {
        query.expr: content[dashboard.id][panel.id]
        for dashboard in dashboards()
        for panel in dashboard.panels()
        for query in panel.queries
        if panel.id in content.get(dashboard.id, {})
    }


def _is_one_argument(text: str) -> bool:
    """Return whether the last bracket closes the first one, so that nothing comes after topk."""
    open_brackets = 0
    for one in _STRING.sub("", text):
        open_brackets += (one in "([{") - (one in ")]}")
        if open_brackets < 0 or (one == "," and open_brackets == 0):
            return False
    return open_brackets == 0
