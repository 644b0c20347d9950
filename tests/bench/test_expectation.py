"""What is expected of a cluster, and what is refused to be believed."""

from __future__ import annotations

import pytest

from trainyard.bench import expectation
from trainyard.bench.ceiling import busbw_factor, ceiling
from trainyard.bench.curve import fit
from trainyard.bench.expectation import Model, model_by
from trainyard.bench.machine import MachineType, accelerator_in, by_accelerator, machine
from trainyard.bench.references import Reference, references

ALL = pytest.mark.parametrize("reference", references(), ids=lambda one: one.id)
GIB = 2**30


def of(name: str) -> MachineType:
    found = machine(name)
    assert found is not None
    return found


def expected(name: str, nodes: int, collective: str = "all_reduce") -> Model:
    model = expectation.model(of(name), nodes, 8, collective)
    assert model is not None
    return model


def outside(one: Reference, model: Model, from_bytes: int = 1) -> list[tuple[int, float]]:
    each = ((size, busbw, model.at(size)) for size, busbw in one.busbw_gb_s.items() if size >= from_bytes)
    return [(size, busbw) for size, busbw, at in each if not at.least_gb_s <= busbw <= at.most_gb_s]


@ALL
def test_every_published_run_lies_in_its_own_band(reference: Reference):
    model = expectation.model(reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    assert model is not None
    assert model.confidence == "high"
    assert outside(reference, model) == []


@ALL
def test_every_published_run_lies_in_the_band_that_all_others_give(reference: Reference):
    others = [one for one in references() if one is not reference]
    model = model_by(others, reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    assert model is not None
    assert model.confidence != "high"
    # Where nothing of the kind is left, only the hardware tells, and nothing is judged by it.
    assert outside(reference, model, from_bytes=2**20 if model.confidence == "medium" else 2**26) == []


# As people compare clusters: type, nodes, GPUs of a node, size in GiB and GB/s, of all-reduces that are called good.
# https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests, pull requests 1070, 1120, 1255
# https://github.com/NVIDIA/nccl-tests/issues/309, https://github.com/coreweave/nccl-tests/pull/43
# https://github.com/Azure/azurehpc-health-checks/tree/main/conf
GOOD = [
    ("p5.48xlarge", 1, 8, 4, 475.97), ("p5.48xlarge", 1, 8, 16, 483.05), ("p5.48xlarge", 2, 8, 1 / 8, 289),
    ("p5.48xlarge", 2, 8, 1, 437), ("p5.48xlarge", 2, 8, 4, 466), ("p5.48xlarge", 2, 8, 16, 487.1),
    ("p5.48xlarge", 2, 8, 2, 437.8), ("p5.48xlarge", 2, 8, 16, 480), ("p5en.48xlarge", 16, 8, 16, 369.9),
    ("p4de.24xlarge", 2, 8, 2, 78.3), ("p6-b200.48xlarge", 2, 8, 16, 654), ("p6-b200.48xlarge", 4, 8, 1 / 8, 295),
    ("p6-b200.48xlarge", 4, 8, 1 / 4, 325), ("p6-b200.48xlarge", 4, 8, 1, 367), ("p6-b200.48xlarge", 4, 8, 4, 375),
    ("p6-b200.48xlarge", 4, 8, 16, 377), ("p6-b300.48xlarge", 2, 8, 16, 654), ("p6-b300.48xlarge", 2, 8, 64, 751),
    ("p6-b300.48xlarge", 2, 8, 64, 760), ("p6-b300.48xlarge", 2, 8, 1 / 128, 90), ("BM.GPU.H100.8", 2, 8, 16, 470),
    ("BM.GPU.H100.8", 4, 8, 16, 366), ("p6e-gb200.36xlarge", 18, 4, 8, 835), ("p4de.24xlarge", 1, 8, 16, 228),
    ("p5.48xlarge", 1, 8, 16, 460), ("p5en.48xlarge", 1, 8, 16, 431), ("p5en.48xlarge", 248, 8, 16, 350),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "nodes", "gpus", "gib", "busbw_gb_s"), GOOD)
def test_what_others_call_good_lies_in_the_band(type_: str, nodes: int, gpus: int, gib: float, busbw_gb_s: float):
    model = expectation.model(of(type_), nodes, gpus, "all_reduce")
    assert model is not None
    at = model.at(int(gib * GIB))
    assert at.least_gb_s <= busbw_gb_s <= at.most_gb_s


@ALL
def test_no_published_run_exceeds_what_its_hardware_allows(reference: Reference):
    top = ceiling(reference.machine, reference.nodes, reference.gpus_per_node, reference.collective)
    assert top is not None
    assert reference.plateau_gb_s <= top.busbw_gb_s


def test_two_p5_exceed_their_network_because_each_byte_crosses_it_once():
    top = expected("p5.48xlarge", 2).ceiling
    assert top.bound == "nvlink"
    assert top.busbw_gb_s == 490
    assert "the network would allow 750" in top.why
    assert of("p5.48xlarge").network_gb_s == 400


def test_bus_bandwidth_does_not_add_over_nodes():
    tops = [expected("p5.48xlarge", nodes).ceiling for nodes in (4, 8, 64, 1024)]
    assert [(top.busbw_gb_s, top.bound) for top in tops] == [(400, "network")] * 4


@pytest.mark.parametrize(("nodes", "claimed_gb_s"), [(1, 800), (1, 1200), (2, 1600)])
def test_what_guides_promise_is_more_than_the_hardware_allows(nodes: int, claimed_gb_s: float):
    model = expected("p5en.48xlarge", nodes)
    assert claimed_gb_s > model.ceiling.busbw_gb_s * 1.5
    assert claimed_gb_s > model.at(16 * GIB).most_gb_s * 1.5


def test_alltoall_shares_the_cards_of_a_node_among_its_gpus():
    tops = {nodes: expected("p5.48xlarge", nodes, "alltoall").ceiling.busbw_gb_s for nodes in (2, 64)}
    assert tops[2] == pytest.approx(400 * 15 / 64)
    assert 50 < tops[64] < 52


def test_gpus_that_are_left_idle_leave_their_cards_idle():
    one = ceiling(of("p5.48xlarge"), 4, 1, "all_gather")
    assert one is not None
    assert one.busbw_gb_s == 50


def test_expectations_grow_with_the_size_and_stay_below_the_ceiling():
    for nodes in (1, 2, 16, 1024):
        model = expected("p5.48xlarge", nodes)
        values = [model.at(2**power).busbw_gb_s for power in range(3, 35)]
        assert values == sorted(values)
        assert values[-1] <= model.ceiling.busbw_gb_s


def test_more_nodes_need_longer_for_small_messages():
    times = [expected("p5.48xlarge", nodes).curve.time_us(8) for nodes in (2, 4, 16, 256)]
    assert times == sorted(times)
    assert len(set(times)) == 4


def test_what_is_carried_over_says_so_and_has_a_wider_band():
    same, other = expected("p5.48xlarge", 2), expected("p5.48xlarge", 8)
    assert (same.confidence, other.confidence) == ("high", "medium")
    assert "the same share for 8 nodes" in other.basis
    widths = [at.least_gb_s / at.busbw_gb_s for at in (same.at(16 * GIB), other.at(16 * GIB))]
    assert widths[0] > widths[1]


def test_a_machine_without_any_published_run_is_expected_by_its_hardware_alone():
    model = expected("p6-b300.48xlarge", 4)
    assert (model.confidence, model.sources) == ("low", ())


def test_where_nothing_is_known_nothing_is_expected():
    assert expectation.model(of("trn1.32xlarge"), 1, 16, "all_reduce") is None
    assert machine("p99.metal") is None


@pytest.mark.parametrize(
    "collective",
    [
        "all_gather",
        "all_reduce",
        "alltoall",
        "alltoallv",
        "broadcast",
        "gather",
        "reduce",
        "reduce_scatter",
        "scatter",
        "sendrecv",
    ],
)
def test_factors_are_those_of_nccl_tests(collective: str):
    two, many = busbw_factor(collective, 2), busbw_factor(collective, 1024)
    assert two is not None
    assert many is not None
    assert (two, round(many, 2)) in {(1.0, 2.0), (0.5, 1.0), (1.0, 1.0)}


def test_a_collective_without_a_definition_has_no_factor():
    assert busbw_factor("hypercube", 8) is None


def test_a_curve_finds_the_shares_that_made_its_points():
    points = {2**power: 20 + 0.5 * (2**power) ** 0.5 + 2**power / 250e3 for power in range(3, 34)}
    curve = fit(points)
    assert curve.spread < 0.01
    assert curve.latency_us == pytest.approx(20, rel=0.05)
    assert curve.us_a_byte == pytest.approx(1 / 250e3, rel=0.05)


def test_a_curve_through_too_few_points_is_refused():
    with pytest.raises(ValueError):
        fit({8: 10.0, 1024: 11.0, 2**20: 20.0})


def test_machines_are_known_by_their_gpus_too():
    assert accelerator_in("NVIDIA H100 80GB HBM3") == "H100"
    assert accelerator_in("NVIDIA A100-SXM4-40GB") == "A100"
    assert accelerator_in("NVIDIA RTX 6000D") is None
    described = by_accelerator("8xA100-80 SXM4")
    assert described is not None
    assert (described.accelerator, described.gpus, described.network_gb_s) == ("A100", 8, None)
    assert by_accelerator("not started") is None
