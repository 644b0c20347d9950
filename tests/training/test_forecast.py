"""Forecasts, against Daly's closed form and against what published fleets have reached."""

from __future__ import annotations

import math

import pytest

from trainyard.training.checkpoint_interval import daly_s
from trainyard.training.forecast import Plan, forecast

DAY_S = 86_400.0
LLAMA = Plan(nodes=2048, spare_nodes=32, work_s=48 * DAY_S, interval_s=600, write_s=5, restart_s=480, repair_s=3600,
             per_1000_node_days=3.8)  # fmt: skip


@pytest.mark.parametrize(("nodes", "write_s", "restart_s"), [(64, 60, 600), (512, 30, 300), (2048, 10, 600)])
def test_the_mean_is_that_of_dalys_closed_form(nodes: int, write_s: float, restart_s: float) -> None:
    plan = LLAMA._replace(nodes=nodes, spare_nodes=999, write_s=write_s, restart_s=restart_s)
    interval_s = daly_s(write_s, plan.mtbf_s)
    mean = forecast(plan._replace(interval_s=interval_s))
    # Equation 20 of Daly: https://doi.org/10.1016/j.future.2004.11.016
    whole_s = plan.mtbf_s * math.exp(restart_s / plan.mtbf_s) * math.expm1((interval_s + write_s) / plan.mtbf_s)
    assert mean.wall_s == pytest.approx(plan.work_s / interval_s * whole_s, rel=0.01)


def test_llama_3_reaches_more_than_90_per_cent_with_as_many_interruptions_as_it_had() -> None:
    # 419 unexpected interruptions in 54 days, effective training time above 90 %: https://arxiv.org/abs/2407.21783.
    # Intervals and restart times are not published: these are ten minutes and eight.
    expected = forecast(LLAMA)
    assert 0.90 < expected.effective(LLAMA) < 0.97
    assert expected.interruptions == pytest.approx(419, rel=0.15)


def test_byterobust_reaches_97_per_cent() -> None:
    # 9,600 GPUs for three months, 97 %: checkpoints every step, warm standbys. https://arxiv.org/abs/2509.16293
    plan = LLAMA._replace(nodes=1200, work_s=90 * DAY_S, interval_s=60, write_s=0.1, restart_s=400)
    assert forecast(plan).effective(plan) == pytest.approx(0.97, abs=0.015)


def test_the_b200_fleet_has_about_as_many_interruptions_as_it_counted() -> None:
    # 10 GPU failures in 55 days on 63 nodes, retries 11 minutes apart; how much of the time was computing is not
    # published, so that only the number is held: https://arxiv.org/abs/2605.09370
    plan = LLAMA._replace(nodes=63, spare_nodes=3, work_s=54 * DAY_S, interval_s=1800, restart_s=660,
                          per_1000_node_days=2.9)  # fmt: skip
    expected = forecast(plan)
    assert expected.interruptions == pytest.approx(10, rel=0.15)
    assert 0.97 < expected.effective(plan) < 1


def test_a_spare_node_is_worth_what_waiting_for_repair_costs() -> None:
    plan = LLAMA._replace(nodes=64, spare_nodes=0, repair_s=DAY_S)
    none, one = forecast(plan), forecast(plan._replace(spare_nodes=1))
    assert none.wall_s - one.wall_s > 0.5 * none.interruptions * DAY_S


def test_the_band_holds_the_mean_and_is_the_same_again() -> None:
    found = forecast(LLAMA)
    assert found.least_wall_s < found.wall_s < found.most_wall_s
    assert found == forecast(LLAMA)


def test_a_run_that_never_comes_to_a_checkpoint_does_not_end() -> None:
    plan = LLAMA._replace(interval_s=50 * 3600.0, work_s=900 * 3600.0, per_1000_node_days=38.0)
    assert not forecast(plan).ends
