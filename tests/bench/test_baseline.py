"""A run beside an earlier one."""

from __future__ import annotations

import random

import pytest

from trainyard.bench.baseline import BaselineComparison, compare_runs, signed_rank_chance
from trainyard.bench.result import Measurement, Row, Run

SIZES = [2**power for power in range(20, 35)]


def run_with(busbw_gb_s: dict[int, float]) -> Run:
    made = [
        Row(size, size // 4, "float", "sum", -1, Measurement(size / value / 1e3, value, value), None, 0)
        for size, value in busbw_gb_s.items()
    ]
    return Run(rows=made)


def noisy(share: float, seed: int, spread: float = 0.02) -> Run:
    chance = random.Random(seed)
    return run_with({size: 400 * share * (1 + chance.uniform(-spread, spread)) for size in SIZES})


@pytest.mark.parametrize("seed", range(20))
def test_noise_alone_is_no_change(seed: int):
    assert compare_runs(noisy(1, seed), noisy(1, seed + 100)).verdict == "the same"


@pytest.mark.parametrize("seed", range(20))
def test_a_loss_of_a_twentieth_is_found_in_the_noise(seed: int):
    comparison = compare_runs(noisy(0.95, seed), noisy(1, seed + 100))
    assert comparison.verdict == "slower"
    assert comparison.ratio == pytest.approx(0.95, abs=0.02)


def test_a_gain_is_one_too():
    assert compare_runs(noisy(1.1, 1), noisy(1, 2)).verdict == "faster"


def test_all_sizes_a_little_slower_are_within_what_placement_does():
    assert compare_runs(noisy(0.985, 1, 0.001), noisy(1, 2, 0.001)).verdict == "the same"


def test_one_size_that_is_off_is_not_the_cluster():
    one = dict.fromkeys(SIZES, 400.0)
    assert compare_runs(run_with({**one, SIZES[5]: 100.0}), run_with(one)).verdict == "the same"


def test_too_few_sizes_say_nothing():
    few = dict.fromkeys(SIZES[:4], 400.0)
    comparison = compare_runs(run_with(dict.fromkeys(few, 100.0)), run_with(few))
    assert (comparison.pairs, comparison.verdict) == (4, "unknown")
    assert comparison.ratio == pytest.approx(0.25)


def test_runs_without_a_size_in_common_cannot_be_compared():
    assert compare_runs(run_with({2**20: 1.0}), run_with({2**21: 1.0})).ratio is None


def test_small_sizes_have_no_part_in_it():
    small = {2**power: 1.0 for power in range(3, 20)}
    assert compare_runs(run_with(small), run_with(small)).pairs == 0


def test_a_test_that_repeats_its_sizes_counts_by_their_medians():
    rows = [row for value in (300.0, 400.0, 900.0) for row in run_with(dict.fromkeys(SIZES, value)).rows]
    comparison = compare_runs(Run(rows=rows), run_with(dict.fromkeys(SIZES, 400.0)))
    assert comparison.pairs == 15
    assert comparison.ratio == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("differences", "chance"),
    [
        # The smallest that n pairs can show is 2 / 2^n; by hand from the 32 choices of five signs.
        ([1, 2, 3, 4, 5], 2 / 32),
        ([-1, 2, 3, 4, 5], 4 / 32),
        ([-3, 1, 2, 4, 5], 10 / 32),
        ([1, -1], 1.0),
        ([0, 0], 1.0),
        ([1, 1, 1], 2 / 8),
    ],
    ids=str,
)
def test_chances_are_those_of_all_choices_of_signs(differences: list[float], chance: float):
    assert signed_rank_chance(differences) == pytest.approx(chance)


def test_a_difference_that_repeated_runs_have_is_not_called_unlikely():
    compared = BaselineComparison(20, 0.98, 0.0001)
    assert (compared.verdict, compared.by_chance) == (
        "the same",
        "within the 3% that repeated runs of one cluster differ by",
    )


def test_a_bandwidth_without_an_end_is_no_size_to_compare():
    good = run_with(dict.fromkeys(SIZES, 400.0))
    odd = run_with({**dict.fromkeys(SIZES, 400.0), SIZES[3]: float("inf")})
    assert compare_runs(good, odd).pairs == compare_runs(odd, good).pairs == len(SIZES) - 1
