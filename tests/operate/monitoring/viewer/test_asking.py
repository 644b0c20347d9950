"""How much is asked for a panel of a cluster of any size."""

from __future__ import annotations

import math

import pytest

from tests.monitoring.promql import named_metrics
from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.prometheus_rules import recording_intervals_s
from trainyard.operate.monitoring.viewer.panel_queries import PanelQueries, recorded_step_s
from trainyard.operate.monitoring.viewer.selection import MOST_POINTS, Selection, window

END_S = 1_795_286_880
HOUR = window(END_S - 3600, END_S)
EXPR = 'load{cluster=~"$cluster", node_name=~"$node"}'
_EXPRS = {(dashboard.id, panel.id): panel.queries[0].expr for dashboard in dashboards() for panel in dashboard.panels()}
GPUS, LOWEST = _EXPRS["gpu-peers", "clock-in-node"], _EXPRS["nvlink-bandwidth", "by-gpu"]
OF_A_JOB, OPERATIONS = _EXPRS["job", "slowest-gpus"], _EXPRS["storage", "lustre-operations"]


def nodes(count: int) -> list[tuple[dict[str, str], float]]:
    return [({"node_name": f"n{number}"}, float(number)) for number in range(count)]


def names(answer) -> set[str]:
    return {one.labels["node_name"] for one in answer.series}


def test_a_small_cluster_is_asked_for_as_a_whole():
    source = FakeSource(nodes(4))
    answer = PanelQueries(source).over_time(EXPR, Selection(), HOUR, 20)
    assert (names(answer), answer.total) == ({"n0", "n1", "n2", "n3"}, 4)
    assert source.ranges == [('load{cluster=~".*", node_name=~".*"}', HOUR.start_s, HOUR.end_s, 30)]


def test_of_a_large_cluster_only_the_nodes_that_are_shown_are_asked_for_over_time():
    source = FakeSource(nodes(1000))
    answer = PanelQueries(source).over_time(EXPR, Selection(), HOUR, 3)
    assert (names(answer), answer.total) == ({"n997", "n998", "n999"}, 1000)
    assert [query for query, *_ in source.ranges] == ['load{cluster=~".*", node_name=~"n997|n998|n999"}']
    assert all(len(series.points) == HOUR.points for series in answer.series)


def test_a_query_that_compares_nodes_is_asked_as_it_is_and_not_narrowed_a_second_time():
    source = FakeSource(nodes(100), compares=True, read=20_000)
    asking = PanelQueries(source)
    answer = asking.over_time(EXPR, Selection(), HOUR, 2)
    assert (names(answer), answer.total) == ({"n98", "n99"}, 100)
    assert {series.points[-1][1] for series in answer.series} == {-1.0, -2.0}
    whole = 'load{cluster=~".*", node_name=~".*"}'
    assert [query for query, *_ in source.ranges] == ['load{cluster=~".*", node_name=~"n98|n99"}', whole]
    later = window(END_S - 3570, END_S + 30)
    asking.over_time(EXPR, Selection(), later, 2)
    assert [query for query, *_ in source.ranges][2:] == [whole]


def test_series_that_do_not_say_their_node_are_asked_for_as_a_whole():
    source = FakeSource([({"user": f"u{number}"}, float(number)) for number in range(50)])
    answer = PanelQueries(source).over_time('jobs{node_name=~"$node"}', Selection(), HOUR, 2)
    assert {series.labels["user"] for series in answer.series} == {"u48", "u49"}
    assert [query for query, *_ in source.ranges] == ['jobs{node_name=~".*"}']


def test_the_lowest_are_shown_where_the_query_wants_the_lowest():
    source = FakeSource(nodes(100))
    answer = PanelQueries(source).over_time(f"bottomk(2, {EXPR})", Selection(), HOUR, 20)
    assert (names(answer), answer.total) == ({"n0", "n1"}, 100)
    assert "bottomk" not in source.ranges[0][0]


def test_what_takes_much_to_read_gets_fewer_points_but_never_too_few_to_see_anything():
    points = {}
    for read in (500, 1_000, 100_000_000):
        source = FakeSource(nodes(4), read=read)
        points[read] = PanelQueries(source).over_time(EXPR, Selection(), HOUR, 20).window.points
    assert points == {500: HOUR.points, 1_000: 61, 100_000_000: 31}


def test_no_series_of_any_range_has_more_points_than_a_screen_shows():
    source = FakeSource(nodes(2))
    week = window(END_S - 7 * 86_400, END_S)
    (first, _) = PanelQueries(source).over_time(EXPR, Selection(), week, 20).series
    assert len(first.points) <= MOST_POINTS


def test_what_is_recorded_every_two_minutes_has_a_point_every_two_minutes():
    source = FakeSource(nodes(4))
    recorded = 'node:gpu_power_watts:sum{cluster=~"$cluster", node_name=~"$node"}'
    PanelQueries(source).over_time(recorded, Selection(), HOUR, 20)
    PanelQueries(source).over_time(f"{recorded} and {EXPR}", Selection(), HOUR, 20)
    assert [step_s for *_, step_s in source.ranges] == [120, 30]


def test_every_metric_of_a_query_over_time_counts_for_its_step():
    queries = [query.expr for one in dashboards() for panel in one.panels() for query in panel.queries]
    intervals_s = recording_intervals_s()
    for expr in queries:
        assert recorded_step_s(expr) == min(intervals_s.get(name, 0) for name in named_metrics(expr)), expr


def test_series_that_ended_are_shown_where_there_is_room_for_them():
    source = FakeSource(nodes(3))
    asking = PanelQueries(source)
    asking.over_time(EXPR, Selection(), HOUR, 20)
    source.values = [*nodes(3), ({"node_name": "gone"}, 1.0)]
    # What is now is remembered for a moment, so the one that is gone is only in the answer about the past.
    coarser = HOUR.coarser(30)
    answer = asking.over_time(EXPR, Selection(), coarser, 20)
    assert "gone" in names(answer)


def test_a_table_of_a_few_gpus_is_asked_of_the_nodes_that_are_recorded_as_first():
    source = FakeSource(nodes(1000))
    answer = PanelQueries(source).newest(GPUS, Selection(queue=("a",)), HOUR, 500)
    recorded, asked = source.instants
    assert recorded == 'topk(40, node:gpu_sm_clock_deviation:max{cluster=~".*", queue=~"a"})'
    assert 'node_name=~"n960|n961|' in asked
    assert {"n999", "n980"} <= names(answer) <= {f"n{number}" for number in range(960, 1000)}


def test_a_table_of_the_lowest_is_asked_of_the_nodes_that_are_recorded_as_lowest():
    source = FakeSource(nodes(1000))
    PanelQueries(source).newest(LOWEST, Selection(), HOUR, 500)
    recorded, asked = source.instants
    assert recorded == 'bottomk(80, node:nvlink_gpu_bytes_per_second:min{cluster=~".*", queue=~".*"})'
    assert 'node_name=~"n0|n1|' in asked


def test_a_table_of_a_job_is_asked_of_the_first_of_its_nodes():
    source = FakeSource(nodes(1000))
    PanelQueries(source).newest(OF_A_JOB, Selection(job=("7",)), HOUR, 500)
    recorded, asked = source.instants
    assert recorded.startswith("bottomk(40, node:gpu_sm_clock_hertz:min{")
    assert 'and on (cluster, instance_id) node:job:max{cluster=~".*", ' in recorded
    assert 'jobid=~"7"}' in recorded
    assert 'node_name=~"n0|n1|' in asked


def test_a_total_is_asked_for_as_it_is_recorded_but_of_chosen_nodes():
    source = FakeSource(nodes(1))
    PanelQueries(source).over_time(OPERATIONS, Selection(), HOUR, 20)
    PanelQueries(source).over_time(OPERATIONS, Selection(node=("n0",)), HOUR, 20)
    assert ["queue:lustre_operations:rate5m" in query for query, *_ in source.ranges] == [True, False]
    nothing = FakeSource()
    PanelQueries(nothing).over_time(OPERATIONS, Selection(), HOUR, 20)
    assert ["queue:lustre_operations:rate5m" in query for query, *_ in nothing.ranges] == [True, False]


@pytest.mark.parametrize(
    ("expr", "asked"),
    [
        ("load{} * on (node) gone{}", False),
        ("topk(3, gone{})", False),
        ("time() - gone{}", False),
        ("load{} or gone{}", True),
        ("load{} unless gone{}", True),
        ("absent(gone{})", True),
        ("count(load{}) - scalar(gone{})", True),
        ('load{of="gone{}"}', True),
    ],
)
def test_what_needs_a_metric_that_nobody_tells_is_not_asked_for(expr, asked):
    source = FakeSource(nodes(2), label_names={"__name__": ["load"]})
    asking = PanelQueries(source)
    assert bool(asking.over_time(expr, Selection(), HOUR, 20).series) is asked
    assert bool(asking.newest(expr, Selection(), HOUR, 20).series) is asked
    assert bool(source.instants or source.ranges) is asked


def test_where_nothing_is_recorded_or_nodes_are_chosen_a_table_is_asked_for_as_it_is():
    source = FakeSource()
    PanelQueries(source).newest(GPUS, Selection(), HOUR, 500)
    assert 'node_name=~".*"' in source.instants[-1]
    chosen = FakeSource(nodes(1000))
    PanelQueries(chosen).newest(GPUS, Selection(node=("n3",)), HOUR, 500)
    (asked,) = chosen.instants
    assert 'node_name=~"n3"' in asked


def test_the_same_question_is_asked_once():
    source = FakeSource(nodes(2))
    asking = PanelQueries(source)
    for _ in range(3):
        asking.over_time(EXPR, Selection(), HOUR, 20)
        asking.newest(EXPR, Selection(), HOUR, 20)
    assert (len(source.instants), len(source.ranges)) == (1, 1)


def test_the_newest_values_are_capped_and_counted():
    series = [*nodes(10), ({"node_name": "ill"}, math.nan)]
    answer = PanelQueries(FakeSource(series)).newest(EXPR, Selection(), HOUR, 2)
    assert (names(answer), answer.total) == ({"n8", "n9"}, 11)
