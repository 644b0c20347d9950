"""One node that makes others slow: found by runs in pairs, and by the times of processes."""

from __future__ import annotations

import pytest

from tests.bench.clusters import all_pairs, json_with_process_times, ring, text
from tests.bench.test_nccl_json import parsed
from trainyard.bench.case import case_of
from trainyard.bench.judge import judge, judge_together
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Run
from trainyard.bench.slow_nodes import node_ratios, slow_nodes


def runs_of(groups, slow: dict[str, float]) -> list[Run]:
    return [parse_log([text(group, max(slow.get(host, 1.0) for host in group)).encode()])[0] for group in groups]


def found(groups, slow: dict[str, float]) -> list[str]:
    return [slow_node.host for slow_node in slow_nodes(runs_of(groups, slow))]


@pytest.mark.parametrize("count", [3, 4, 12])
def test_the_slow_one_of_all_pairs_is_found(count: int):
    assert found(all_pairs(count), {"p5-dy-2": 1.6}) == ["p5-dy-2"]


def test_the_slow_one_of_a_ring_is_found_and_its_neighbours_are_not():
    assert found(ring(8), {"p5-dy-4": 1.6}) == ["p5-dy-4"]


def test_two_slow_ones_are_found_both():
    assert sorted(found(all_pairs(6), {"p5-dy-2": 1.6, "p5-dy-5": 2.2})) == ["p5-dy-2", "p5-dy-5"]


def test_who_ran_with_a_good_partner_alone_is_found_by_one_run():
    star = [("p5-dy-1", f"p5-dy-{at}") for at in range(2, 9)]
    assert found(star, {"p5-dy-6": 1.6}) == ["p5-dy-6"]


def test_single_nodes_are_held_against_each_other():
    assert found([(f"p5-dy-{at}",) for at in range(1, 6)], {"p5-dy-3": 1.6}) == ["p5-dy-3"]


@pytest.mark.parametrize("slow", [{}, {"p5-dy-2": 1.08}, {f"p5-dy-{at}": 1.6 for at in range(1, 9)}])
def test_nobody_is_found_where_all_are_alike(slow: dict[str, float]):
    assert found(all_pairs(8), slow) == []


def test_two_runs_tell_nothing():
    assert found([("a", "b"), ("a", "c")], {"b": 2.0}) == []


def test_two_that_only_ran_together_are_not_told_apart():
    groups = [("a", "b"), ("c", "d"), ("e", "f"), ("c", "e")]
    assert found(groups, {"a": 2.0}) == []


def test_of_nodes_that_no_good_run_clears_the_one_that_is_in_most_slow_runs_is_found():
    assert found([("a", "b"), ("a", "c"), ("d", "e"), ("e", "f"), ("d", "f")], {"a": 1.6}) == ["a"]


def test_the_evidence_is_named_and_so_are_the_runs():
    (node,) = slow_nodes(runs_of(all_pairs(4), {"p5-dy-2": 2.0}))
    assert node.runs == (0, 3, 4)
    assert node.why == (
        "all 3 runs with p5-dy-2 reach 50% of the bandwidth of the good ones; "
        "3 of the 3 nodes beside it are as fast as others in runs without it"
    )


def test_the_finding_stands_at_the_runs_that_show_it():
    judgements = [judge(case_of(run, "p5.48xlarge")) for run in runs_of(all_pairs(4), {"p5-dy-2": 1.6})]
    together = judge_together(judgements)
    marked = [any(finding.id == "bench-slow-node" for finding in judgement.findings) for judgement in together]
    assert marked == [True, False, False, True, True, False]
    assert [judgement.verdict for judgement in together] == [
        "degraded", "healthy", "healthy", "degraded", "degraded", "healthy",
    ]  # fmt: skip


def test_processes_that_take_longer_name_their_node():
    run = parsed(json_with_process_times({"p5-3": 1.4}))
    (node,) = slow_nodes([run])
    assert (node.host, node.runs) == ("p5-3", (0,))
    assert node.why == "processes of p5-3 take 40% longer than those of all other nodes, at 2 sizes"


def test_processes_that_the_others_wait_for_name_their_node():
    (node,) = slow_nodes([parsed(json_with_process_times({"p5-2": 0.6}))])
    assert node.host == "p5-2"
    assert "40% shorter in the collective" in node.why
    assert "the others wait for it" in node.why


@pytest.mark.parametrize(
    ("factors", "hosts"),
    [({}, 4), ({"p5-3": 1.05}, 4), ({"p5-1": 1.5}, 2), ({"p5-1": 1.5, "p5-2": 1.5}, 6)],
    ids=["alike", "a-little", "two-nodes", "two-of-six"],
)
def test_processes_that_tell_nothing_certain_name_nobody(factors: dict[str, float], hosts: int):
    assert slow_nodes([parsed(json_with_process_times(factors, hosts))]) == []


def test_the_first_iterations_that_the_test_leaves_out_do_not_count():
    ratios = node_ratios(parsed(json_with_process_times({"p5-3": 1.4})))
    assert list(ratios) == [4294967296, 8589934592]
    assert ratios[4294967296] == pytest.approx({"p5-1": 1.0, "p5-2": 1.0, "p5-3": 1.4, "p5-4": 1.0})


def test_two_nodes_are_not_held_against_each_other():
    assert node_ratios(parsed(json_with_process_times({"p5-1": 1.5}, 2))) == {}


def test_a_process_with_several_gpus_is_one_process():
    run = parsed(json_with_process_times({}))
    run.devices = [device._replace(pid=1) for device in run.devices]
    assert run.process_hosts == ["p5-1", "p5-2", "p5-3", "p5-4"]
    assert node_ratios(run) == {}
