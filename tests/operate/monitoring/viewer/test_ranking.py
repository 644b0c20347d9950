"""Which series are the first few."""

from __future__ import annotations

import math

import pytest

from trainyard.edge.prometheus_api import Sample
from trainyard.operate.monitoring.viewer.panel_queries import Ranking, ranking


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("up", Ranking("up", 30)),
        ("topk(20, up)", Ranking("up", 20)),
        ("bottomk(40, up)", Ranking("up", 30, lowest=True)),
        ('topk( 5 , sum by (a) (x{r=~"(a|b"}) * 8)', Ranking('sum by (a) (x{r=~"(a|b"}) * 8', 5)),
        ("topk(5, a) or topk(5, b)", Ranking("topk(5, a) or topk(5, b)", 30)),
        ("topk(5, a) / 2", Ranking("topk(5, a) / 2", 30)),
        ("topk by (q) (5, a)", Ranking("topk by (q) (5, a)", 30)),
        ("topk(5, f(a, b))", Ranking("f(a, b)", 5)),
    ],
)
def test_only_what_is_ranked_as_a_whole_is_taken_out_of_its_ranking(expr, expected):
    assert ranking(expr, 30) == expected


def values(found: list[Sample]) -> list[float]:
    return [sample.value for sample in found]


def test_the_first_are_the_highest_or_lowest_and_never_what_is_no_number():
    samples = [Sample({}, 0, value) for value in (3.0, math.nan, 1.0, math.inf, 2.0, -math.inf)]
    assert values(Ranking("x", 3).first(samples)) == [math.inf, 3.0, 2.0]
    assert values(Ranking("x", 3, lowest=True).first(samples)) == [-math.inf, 1.0, 2.0]
    assert math.isnan(values(Ranking("x", 6).first(samples))[1])
