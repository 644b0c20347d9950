"""Each published run is healthy and its half degraded, on every type of machine that it speaks for."""

from __future__ import annotations

import pytest

from trainyard.bench.case import Case, case_of
from trainyard.bench.ceiling import busbw_factor
from trainyard.bench.expectation import alike
from trainyard.bench.judge import judge
from trainyard.bench.machine import machine
from trainyard.bench.references import Reference, references
from trainyard.bench.result import Device, Measurement, Row, Run
from trainyard.catalog import instances


def types_of(reference: Reference) -> list[str]:
    """Return the machine of a reference, and the types of EC2 that have the same links and network."""
    known = ((name, machine(name)) for name in instances.names())
    same = [name for name, other in known if other is not None and alike(reference.machine, other, reference.nodes)]
    return list(dict.fromkeys([reference.machine.name, *same]))


ON_TYPES = [
    pytest.param(reference, type_, id=f"{reference.id}-on-{type_}")
    for reference in references()
    for type_ in types_of(reference)
]


def case_at(reference: Reference, type_: str, share: float = 1.0) -> Case:
    """Return a run with so much of the bandwidth of a reference."""
    rows = [
        Row(size, size // 4, "float", "sum", -1, _measured(reference, size, busbw * share), None, 1)
        for size, busbw in sorted(reference.busbw_gb_s.items())
    ]
    ranks = reference.nodes * reference.gpus_per_node
    run = Run(collective=reference.collective, rows=rows, ranks=ranks, concluded=True)
    return case_of(run, type_, reference.nodes)


def _measured(reference: Reference, size: int, busbw: float) -> Measurement:
    factor = busbw_factor(reference.collective, reference.nodes * reference.gpus_per_node) or 1.0
    return Measurement(size / busbw * factor / 1e3, busbw / factor, busbw, 0)


@pytest.mark.parametrize(("reference", "type_"), ON_TYPES)
def test_a_published_run_is_healthy(reference: Reference, type_: str):
    judgement = judge(case_at(reference, type_))
    assert (judgement.verdict, judgement.findings) == ("healthy", ())


@pytest.mark.parametrize(("reference", "type_"), ON_TYPES)
def test_half_of_a_published_run_is_degraded(reference: Reference, type_: str):
    judgement = judge(case_at(reference, type_, 0.5))
    assert judgement.verdict == "degraded"
    assert [finding.id for finding in judgement.findings] == ["bench-below-expectation"]


@pytest.mark.parametrize(("reference", "type_"), ON_TYPES)
def test_what_it_rests_on_is_surer_of_the_same_machine(reference: Reference, type_: str):
    case = case_at(reference, type_)
    assert case.model is not None
    same_kind = case.machine is not None and case.machine.accelerator == reference.machine.accelerator
    assert case.model.confidence == ("high" if same_kind else "medium")
    assert reference.source in case.model.sources or not same_kind


def test_the_curve_of_h100_speaks_for_h200():
    reference = next(one for one in references() if one.id == "p5-2-nodes")
    assert {"p5e.48xlarge", "p5en.48xlarge"} <= set(types_of(reference))


@pytest.mark.parametrize("collective", ["all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"])
@pytest.mark.parametrize("busbw_gb_s", [350.0, 20.0])
def test_a_collective_without_a_reference_has_no_verdict(collective: str, busbw_gb_s: float):
    reference = next(one for one in references() if one.id == "p5-2-nodes")
    unpublished = reference._replace(collective=collective, busbw_gb_s={2**30: busbw_gb_s, 2**34: busbw_gb_s})
    judgement = judge(case_at(unpublished, "p5.48xlarge"))
    assert judgement.verdict == "unknown"


def test_neuron_cores_are_never_held_against_a_model_of_gpus():
    reference = next(one for one in references() if one.id == "p5-2-nodes")
    for type_ in ("trn1.32xlarge", "trn2.48xlarge"):
        judgement = judge(case_at(reference, type_))
        assert judgement.verdict == "unknown"
        assert "is published as what others should reach" in judgement.findings[0].message


# https://github.com/coreweave/nccl-tests/blob/main/README.md: two racks, and twenty.
@pytest.mark.parametrize(("nodes", "busbw_gb_s"), [(36, 810.41), (360, 405.74)])
def test_racks_that_are_one_nvlink_domain_each_reach_more_than_the_cards_of_a_node(nodes: int, busbw_gb_s: float):
    reference = next(one for one in references() if one.id == "gb200-18-nodes")
    racks = reference._replace(nodes=nodes, busbw_gb_s={2**34: busbw_gb_s})
    judgement = judge(case_at(racks, "p6e-gb200.36xlarge"))
    assert [finding.id for finding in judgement.findings] == ["bench-nothing-to-compare"]


def test_a_list_of_ranks_that_was_cut_says_nothing_of_how_many_a_node_has():
    run = Run(collective="all_reduce", ranks=1440, devices=[Device(0, 0, 1, "rack-1", 0, "NVIDIA GB200")])
    case = case_of(run)
    assert case.machine is not None
    assert (case.nodes, case.machine.gpus) == (360, 4)
