"""A counter grows with what happens, and a level changes when something does."""

from __future__ import annotations

from trainyard.simulation.curve import Curve, Piece, constant
from trainyard.simulation.gpu import gpu_series
from trainyard.simulation.node import SimulatedNode, Spell, Trouble

NOW_S = 1_800_000_000.0


def curves(node: SimulatedNode, name: str) -> list[Curve]:
    return [series.curve for series in gpu_series(node) if series.name == name]


def test_before_its_first_piece_a_series_is_not_there():
    assert Curve((Piece(10, 5),)).at([9, 10, 11]) == [None, 5, 5]
    assert constant(3).at([0]) == [3]


def test_a_counter_keeps_what_it_has_grown_by_when_its_rate_changes():
    curve = Curve((Piece(0, 100, 2), Piece(10, 100, 0), Piece(20, 100, 1, added=5)))
    assert curve.at([0, 10, 15, 20, 30]) == [100, 120, 120, 125, 135]


def test_no_counter_of_a_gpu_goes_back_whatever_happens_to_it():
    troubles = (Trouble("hang", NOW_S + 60, NOW_S + 120), Trouble("memory-error", NOW_S + 90, NOW_S + 100, gpus=(1,)))
    node = SimulatedNode(
        "node-1", "Compute", "p5.48xlarge", 1, (Spell(NOW_S, "busy"), Spell(NOW_S + 30, "idle")), troubles
    )
    for name in (
        "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
        "DCGM_FI_DEV_POWER_VIOLATION",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
    ):
        for curve in curves(node, name):
            values = [value or 0 for value in curve.at([NOW_S + 5 * step for step in range(40)])]
            assert values == sorted(values)
            assert len(set(values)) > 1 or name.endswith("DBE_VOL_TOTAL")


def test_a_trouble_hits_only_the_gpus_that_it_names():
    node = SimulatedNode(
        "node-1",
        "Compute",
        "p5.48xlarge",
        1,
        (Spell(NOW_S, "busy"),),
        (Trouble("hot-and-counted", NOW_S + 60, gpus=(6,)),),
    )
    clocks = [curve.at([NOW_S + 60])[0] or 0 for curve in curves(node, "DCGM_FI_DEV_SM_CLOCK")]
    assert [gpu for gpu, clock in enumerate(clocks) if clock < 1300] == [6]


def test_alike_nodes_differ_a_little_and_the_same_node_is_always_the_same():
    nodes = [SimulatedNode("node-1", "Compute", "p5.48xlarge", phase, (Spell(NOW_S, "busy"),)) for phase in (1, 1, 2)]
    first, again, other = ([curve.at([NOW_S + 60]) for curve in curves(node, "DCGM_FI_DEV_GPU_TEMP")] for node in nodes)
    assert first == again != other
