"""A simulated node says what the real exporters say: the same series, with the same labels."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.monitoring.test_kept_series import Series, recorded, relabelled
from tests.monitoring.whole_cluster.dcgm_exporter import counters
from tests.monitoring.whole_cluster.growing import text_at
from tests.monitoring.whole_cluster.node_exporter import node_exporter
from tests.monitoring.whole_cluster.nodes import COMPUTE, HEAD, LOGIN, Node
from tests.monitoring.whole_cluster.trainyard_node import on_compute
from tests.node.collectors.job_tree import allocate, run_pod
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.simulation.exporters import answering, exporters_of, exposition, series_of
from trainyard.simulation.jobs import job_series
from trainyard.simulation.node import Kind, NodeJob, SimulatedNode, Spell, Trouble
from trainyard_node.collectors.jobs import JobsCollector
from trainyard_node.health.checks import NAMES
from trainyard_node.machine import World
from trainyard_node.places import Places

LABELS = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
NOW_S = 1_800_000_000.0
KINDS: dict[str, Kind] = {"HeadNode": "HeadNode", "LoginNode": "LoginNode", "Compute": "Compute"}
BUSY = (Spell(NOW_S - 7200, "busy"),)
# What one machine has and another calls otherwise.
OF_THE_MACHINE = {"cpu", "UUID", "version", "nodename", "Hostname", "hostname"}


def simulated(node: Node, *troubles: Trouble) -> SimulatedNode:
    return SimulatedNode(node.host, KINDS[node.node_type], node.type, node.number, BUSY, troubles)


def told(text: str) -> list[Series]:
    """Return the series of an exposition: names and labels."""
    lines = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    return [(line.partition("{")[0], dict(LABELS.findall(line))) for line in lines]


def alike(series: list[Series]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return them without values that only one machine has."""
    return {
        (name, tuple(sorted((label, "" if label in OF_THE_MACHINE else value) for label, value in labels.items())))
        for name, labels in series
    }


def kept(series: list[Series], node_type: str) -> list[Series]:
    """Return what Prometheus keeps of node_exporter, without what only one machine has."""
    of_type = [(name, {**labels, "node_type": node_type}) for name, labels in series]
    left = [
        (name, {key: value for key, value in labels.items() if key != "node_type"})
        for name, labels in relabelled(of_type)
    ]
    return [one for one in left if not ONLY_WHERE_RECORDED.match(one[0])]


# The version of a program, and what reports of bandwidth tests and of runs write.
ONLY_WHERE_RECORDED = re.compile(r"node_exporter_build_info|trainyard_(bench|run|nodes_without_run)_")


@pytest.mark.parametrize("node", [HEAD, LOGIN, COMPUTE[0]], ids=lambda node: node.node_type)
def test_a_simulated_host_has_the_series_that_are_kept_of_a_real_one(node: Node):
    real = kept(told(text_at(node_exporter(node), 0)), node.node_type)
    assert alike(told(exposition(series_of(simulated(node), "node-exporter"), NOW_S))) == alike(real)


def simulable(text: str) -> str:
    """Return what a node says of everything but Lustre, which no simulated node mounts, and of sound interfaces."""
    lines = (line for line in text.splitlines() if "lustre" not in line and "efa_interface_errors" not in line)
    return "".join(f"{line}\n" for line in lines)


def test_a_simulated_node_says_what_the_real_collectors_say(tmp_path: Path):
    real = told(simulable(text_at(on_compute(COMPUTE[0], tmp_path, ill=False), 0)))
    assert alike(told(exposition(series_of(simulated(COMPUTE[0]), "trainyard-node"), NOW_S))) == alike(real)


def test_jobs_are_told_as_the_real_collector_tells_them(tmp_path: Path):
    run_pod(tmp_path, "llm-worker-0", "uid-1")
    run_pod(tmp_path, "eval-x7vbn", "uid-2", age_s=30)
    allocate(tmp_path, ["uid-1", "uid-2"])
    clock = FakeClock()
    real = JobsCollector(World(Places(str(tmp_path)), clock, FakeProcesses(clock))).collect().text()
    jobs = (NodeJob("ml/llm", "llm", "ml", NOW_S - 3600), NodeJob("ml/eval", "eval", "ml", NOW_S - 30))
    said = exposition(job_series(replace(simulated(COMPUTE[0]), jobs=jobs)), NOW_S)
    assert sorted(said.splitlines()) == sorted(line for line in real.splitlines() if not line.startswith("#"))


def test_a_lost_interface_and_an_ill_gpu_are_told_as_the_real_collectors_tell_them(tmp_path: Path):
    for node, trouble in (
        (COMPUTE[2], Trouble("bad-row", NOW_S - 60, gpus=(3,))),
        (COMPUTE[3], Trouble("efa-interface-missing", NOW_S - 60, devices=("rdmap201s0",))),
    ):
        real = simulable(text_at(on_compute(node, tmp_path, ill=True), 0))
        text = exposition(series_of(simulated(node, trouble), "trainyard-node"), NOW_S)
        assert alike(told(text)) == alike(told(real))
        for line in real.splitlines():
            if line.startswith(("trainyard_node_healthy", "trainyard_health_", "trainyard_efa_interfaces")):
                assert line in text.splitlines()


def test_the_gpus_have_every_counter_of_the_step_and_those_before_hopper_have_no_profile():
    names = {name for name, _, _ in counters()}
    p5, g5 = (SimulatedNode("node-1", "Compute", type_, 1, BUSY) for type_ in ("p5.48xlarge", "g5.48xlarge"))
    assert {series.name for series in series_of(p5, "dcgm-exporter")} == names
    assert names - {series.name for series in series_of(g5, "dcgm-exporter")} == {
        name for name in names if "NVLINK" in name or "_PROF_" in name or "MEMORY_TEMP" in name
    }


def test_the_checks_are_those_of_nodes():
    series = series_of(simulated(COMPUTE[0]), "trainyard-node")
    assert {labels[7:].partition('"')[0] for name, labels, _ in series if name == "trainyard_health_check"} == set(
        NAMES
    )


def test_a_node_without_gpus_has_no_exporter_of_them():
    trn1 = SimulatedNode("node-1", "Compute", "trn1.32xlarge", 1, BUSY)
    assert exporters_of(trn1) == ("node-exporter", "trainyard-node")
    assert "trainyard_efa_interfaces 8" in exposition(series_of(trn1, "trainyard-node"), NOW_S)


def test_a_gpu_off_the_bus_takes_its_series_with_it():
    node = simulated(COMPUTE[0], Trouble("off-the-bus", NOW_S, gpus=(4,)))
    before, after = (exposition(series_of(node, "dcgm-exporter"), at_s) for at_s in (NOW_S - 1, NOW_S))
    assert before.count('gpu="4"') == len(counters())
    assert 'gpu="4"' not in after
    assert after.count('gpu="5"') == len(counters())


def test_an_exporter_that_is_dead_does_not_answer_and_the_others_do():
    node = simulated(COMPUTE[0], Trouble("dcgm-exporter-dead", NOW_S, NOW_S + 60))
    times = [NOW_S - 1, NOW_S, NOW_S + 60]
    assert answering(node, "dcgm-exporter").at(times) == [1, 0, 1]
    assert answering(node, "node-exporter").at(times) == [1, 1, 1]


def test_the_recorded_host_is_what_the_contract_of_kept_series_reads():
    assert {name for name, _ in recorded("Compute")} >= {"node_cpu_seconds_total", "node_uname_info"}
