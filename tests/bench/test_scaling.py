"""Scaling efficiency, and what larger clusters are forecast to show."""

from __future__ import annotations

from math import log2

import pytest

from tests.bench.clusters import text
from trainyard.bench.case import Case, case_of
from trainyard.bench.forecast import NODES, forecasts
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.scaling import ScalingSeries, all_series


def case(nodes: int, times: float = 1.0, type_: str = "p5.48xlarge") -> Case:
    return case_of(parse_log([text([f"n{at}" for at in range(nodes)], times).encode()])[0], type_)


def series(*nodes_and_times: tuple[int, float]) -> ScalingSeries:
    (one,) = all_series([case(nodes, times) for nodes, times in nodes_and_times])
    return one


def test_efficiency_is_bus_bandwidth_by_that_of_the_fewest_nodes_that_use_the_network():
    one = series((4, 1.25), (2, 1.0), (8, 1.6))
    reached = {point.nodes: point.busbw_gb_s for point in one.points}
    assert [point.nodes for point in one.points] == [2, 4, 8]
    assert one.base_nodes == 2
    assert [point.of_base for point in one.points] == pytest.approx(
        [1.0, reached[4] / reached[2], reached[8] / reached[2]]
    )


def test_bandwidth_does_not_add_up():
    two, four = series((2, 1.0), (4, 1.0)).points
    assert four.of_base == pytest.approx(four.busbw_gb_s / two.busbw_gb_s)
    assert (four.of_base or 0) < 1.1


def test_a_single_node_is_no_base_and_the_ceilings_say_why():
    one = series((1, 1.0), (2, 1.0))
    assert one.base_nodes == 2
    assert one.points[0].of_base is None
    assert one.points[0].of_ceiling is not None
    assert one.why_not_one is not None
    assert "8 H100 on their links reach 490 GB/s, and nothing of it crosses the network" in one.why_not_one
    assert "the network would allow 750" in one.why_not_one


def test_single_nodes_alone_have_no_base():
    one = series((1, 1.0))
    assert (one.base_nodes, one.why_not_one, one.points[0].of_base) == (None, None, None)


def test_the_ceiling_falls_from_two_to_four_nodes_and_so_does_what_efficiency_can_be():
    two, four = series((2, 1.0), (4, 1.3)).points
    assert two.possible_of_base == 1
    assert four.possible_of_base == pytest.approx(400 / 490)
    assert four.of_ceiling == pytest.approx(four.busbw_gb_s / 400)


def test_sizes_are_the_same_for_all():
    short = "\n".join(line for line in text(["a", "b", "c", "d"]).splitlines() if not line.startswith("17179869184"))
    cases = [case(2), case_of(parse_log([short.encode()])[0], "p5.48xlarge")]
    (one,) = all_series(cases)
    assert one.size_bytes == 4294967296
    assert len(one.points) == 2


def test_several_runs_of_one_number_of_nodes_count_by_their_median():
    (one,) = all_series([case(2, times) for times in (1.0, 1.5, 9.0)])
    assert one.points[0].busbw_gb_s == pytest.approx(case(2, 1.5).run.rows[-1].out_of_place.busbw_gb_s)  # type: ignore[union-attr]


def test_machines_are_kept_apart():
    found = all_series([case(2), case(2, type_="p4de.24xlarge")])
    assert [one.machine.name for one in found if one.machine] == ["p5.48xlarge", "p4de.24xlarge"]


def test_an_unknown_machine_has_its_efficiency_and_neither_ceiling_nor_forecast():
    content = [text([f"n{at}" for at in range(nodes)], nodes / 2).replace("H100", "XPU") for nodes in (2, 4)]
    (one,) = all_series([case_of(parse_log([each.encode()])[0]) for each in content])
    two, four = one.points
    assert (four.of_base or 0) == pytest.approx(0.5 * 1.9375 / 1.875, abs=0.001)
    assert (two.ceiling, four.of_ceiling, four.possible_of_base) == (None, None, None)
    assert forecasts(one) == []


def test_what_nobody_measured_has_no_series():
    nothing = case_of(parse_log([b"8 2 float sum -1 0.00 inf inf 0 0.00 inf inf 0\n"])[0], "p5.48xlarge", 2)
    assert all_series([nothing]) == []


def test_the_forecast_goes_from_2_to_1024_nodes():
    assert NODES == (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
    assert [forecast.nodes for forecast in forecasts(series((2, 1.0), (4, 1.3)))] == list(NODES)


def test_no_forecast_leaves_its_band_or_exceeds_its_ceiling():
    for forecast in forecasts(series((2, 1.0), (4, 1.3), (16, 1.4))):
        assert forecast.least_gb_s <= forecast.busbw_gb_s <= forecast.most_gb_s <= forecast.ceiling.busbw_gb_s


def test_a_forecast_is_near_what_was_measured_there():
    one = series((2, 1.0), (4, 1.3), (16, 1.4))
    by_nodes = {each.nodes: each for each in forecasts(one)}
    for point in one.points:
        forecast = by_nodes[point.nodes]
        assert forecast.least_gb_s <= point.busbw_gb_s <= forecast.most_gb_s * 1.02
        assert forecast.confidence == "high"


def test_confidence_falls_and_the_band_widens_with_the_distance():
    found = forecasts(series((2, 1.0), (4, 1.3)))
    order = ["high", "medium", "low"]
    ranks = [order.index(forecast.confidence) for forecast in found]
    assert ranks == sorted(ranks)
    assert found[-1].confidence == "low"
    widths = [(forecast.busbw_gb_s - forecast.least_gb_s) / forecast.busbw_gb_s for forecast in found[1:]]
    assert widths == sorted(widths)
    assert {forecast.confidence for forecast in found if log2(forecast.nodes / 4) > 2} == {"low"}


def test_a_slower_cluster_is_forecast_slower():
    good, slow = (forecasts(series((4, times)))[-1].busbw_gb_s for times in (1.3, 2.6))
    assert slow < good * 0.6


def test_a_run_that_is_slower_than_it_should_be_says_nothing_of_larger_clusters():
    good, slow = case(2), case(2, 2.0)
    (sound,), (both,) = all_series([good]), all_series([good, slow], faulty=[slow])
    assert forecasts(both) == forecasts(sound)
    assert both.points[0].busbw_gb_s < sound.points[0].busbw_gb_s


def test_without_a_sound_run_the_forecast_goes_by_published_ones():
    slow = case(2, 2.0)
    (one,) = all_series([slow], faulty=[slow])
    assert all("this run" not in each.basis for each in forecasts(one))


def test_nvlink_tells_nothing_of_the_network():
    """Two p5 are held back by NVLink, and reach all of it; four are held back by the network, and reach less."""
    for forecast in forecasts(series((2, 1.0)))[1:]:
        assert forecast.ceiling.bound == "network"
        assert forecast.confidence != "high"
        assert "p5.48xlarge × 2" not in forecast.basis
        assert forecast.busbw_gb_s < 0.95 * forecast.ceiling.busbw_gb_s


def test_without_a_known_network_there_is_no_forecast():
    (one,) = all_series([case(2, type_="8xH100")])
    assert forecasts(one) == []
