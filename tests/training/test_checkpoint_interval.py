"""Young's and Daly's intervals, against figures that are computed otherwise."""

from __future__ import annotations

import pytest

from trainyard.training.checkpoint_interval import daly_s, failure_rates, lost_share, young_s


def test_young_is_the_root_of_twice_the_product():
    assert young_s(60, 12_000) == pytest.approx(1200)


@pytest.mark.parametrize(("write_s", "mtbf_s"), [(5, 3600), (60, 10_800), (300, 86_400), (900, 7200)])
def test_no_interval_loses_less_than_daly_by_more_than_a_thousandth(write_s: float, mtbf_s: float):
    best = lost_share(daly_s(write_s, mtbf_s), write_s, mtbf_s)
    assert best - min(lost_share(interval, write_s, mtbf_s) for interval in range(10, 60_000, 10)) < 1e-3


def test_a_checkpoint_that_takes_longer_than_twice_the_time_between_failures_is_written_once_in_it():
    assert daly_s(300, 100) == 100


def test_a_failure_between_any_two_checkpoints_loses_nearly_everything():
    assert lost_share(1e6, 60, 1000) == pytest.approx(1.0)


def test_llama_3_was_interrupted_every_three_hours():
    assert failure_rates()["llama3"].mtbf_s(2048) == pytest.approx(54 * 86_400 / 419, rel=0.01)
    assert all(rate.source.startswith("https://arxiv.org/") for rate in failure_rates().values())
