"""The step between points, and the range of rates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.operate.monitoring.viewer.selection import MOST_POINTS, Window, window

NOW = 1_795_286_880


@pytest.mark.parametrize(
    ("length_s", "step_s"),
    [(900, 30), (3600, 30), (10_800, 60), (21_600, 120), (86_400, 300), (172_800, 600), (604_800, 3600)],
)
def test_each_range_of_the_page_has_a_step_that_is_read_off_a_clock(length_s, step_s):
    assert window(NOW - length_s, NOW).step_s == step_s


@given(st.integers(0, 2_000_000_000), st.integers(60, 31 * 86_400), st.floats(2, 1000))
def test_no_series_has_more_points_than_wanted_and_the_newest_is_one_of_them(end_s, length_s, most_points):
    found = window(end_s - length_s, end_s, most_points)
    assert 1 <= found.points <= max(most_points, 2)
    assert found.start_s + (found.points - 1) * found.step_s == found.end_s
    assert end_s - SCRAPE_INTERVAL_S < found.end_s <= end_s
    assert found.start_s >= end_s - length_s - 2 * SCRAPE_INTERVAL_S


def test_two_who_ask_within_one_scrape_ask_the_same():
    end_s = NOW // SCRAPE_INTERVAL_S * SCRAPE_INTERVAL_S
    assert window(end_s - 3600, end_s) == window(end_s - 3600 + 0.9, end_s + SCRAPE_INTERVAL_S - 1)


@pytest.mark.parametrize(("step_s", "expected_s"), [(30, 120), (60, 120), (90, 120), (120, 150), (3600, 3630)])
def test_the_range_of_rates_is_that_of_grafana(step_s, expected_s):
    assert Window(0, step_s, step_s).rate_interval_s == expected_s


def test_a_coarser_window_covers_the_same_time_with_fewer_points_and_never_with_more_than_usual():
    whole = window(NOW - 86_400, NOW)
    coarse = whole.coarser(20)
    assert coarse.points <= 20
    assert coarse.end_s == whole.end_s
    assert coarse.start_s - whole.start_s < coarse.step_s
    assert coarse.coarser(1e9) == coarse
    assert whole.points <= MOST_POINTS


@given(st.integers(60, 31 * 86_400), st.sampled_from([0, 30, 60, 120, 300]))
def test_a_longer_step_keeps_the_newest_point_and_is_only_taken_where_enough_are_left(length_s, step_s):
    whole = window(NOW - length_s, NOW)
    found = whole.at_least(step_s, 31)
    assert found.end_s == whole.end_s
    assert found.step_s in {step_s, whole.step_s}
    assert found == whole or (found.points >= 31 and found.step_s > whole.step_s)
    assert found.step_s >= step_s or length_s < 31 * step_s
