"""What Grafana ranks stays the same from the first point to the last."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.monitoring.an_hour import write_blocks
from tests.monitoring.prometheus import real_prometheus
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.monitoring.grafana_ranking import fixed_rankings

MEAN = "avg_over_time"
TIME = "[$__range:$__interval] @ end()"


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("sum(up)", "sum(up)"),
        ("topk(20, load)", f"((load) and topk(20, {MEAN}((load){TIME})))"),
        ('bottomk(2, a{n=~")("} * 8)', f'((a{{n=~")("}} * 8) and bottomk(2, {MEAN}((a{{n=~")("}} * 8){TIME})))'),
        ("topk(1, a)\n or on () b", f"((a) and topk(1, {MEAN}((a){TIME})))\n or on () b"),
        ("x and on (job) topk(2, count by (job) (y))",
         f"x and on (job) ((count by (job) (y)) and topk(2, {MEAN}((count by (job) (y)){TIME})))"),
        ("topk(1, a) + topk(1, b)",
         f"((a) and topk(1, {MEAN}((a){TIME}))) + ((b) and topk(1, {MEAN}((b){TIME})))"),
        ("max(topk_things)", "max(topk_things)"),
    ],
)  # fmt: skip
def test_a_ranking_is_by_the_mean_of_the_whole_time(expr: str, expected: str):
    assert fixed_rankings(expr) == expected


def test_a_query_of_ours_that_is_not_whole_is_a_bug():
    with pytest.raises(ValueError, match="no bracket closes"):
        fixed_rankings("topk(20, load")


@pytest.mark.integration
@pytest.mark.enable_socket
def test_prometheus_returns_whole_lines_of_the_first_few(tmp_path: Path):
    end_s = int(time.time()) // 60 * 60
    times = range(end_s - 3600, end_s + 1, 60)
    # Each node is ahead of the others in its turn, one of them once more; only over the hour c is first and b second.
    ahead = {"a": 100, "b": 120, "c": 140, "d": 0}
    lines = [
        f'load{{node="{node}"}} {high if at // 60 % 4 == place else place} {at}\n'
        for place, (node, high) in enumerate(ahead.items())
        for at in times
    ]
    write_blocks(tmp_path, lines)
    with real_prometheus(tmp_path, {}) as prometheus:
        api = PrometheusApi(Connection(prometheus.url))

        def drawn(expr: str) -> dict[str, int]:
            series = api.query_range(expr, end_s - 3600, end_s, 60)
            return {one.labels["node"]: len(one.points) for one in series}

        fixed = fixed_rankings("topk(2, load)").replace("$__range", "1h").replace("$__interval", "1m")
        assert drawn(fixed) == {"b": 61, "c": 61}
        assert len(drawn("topk(2, load)")) == 4
