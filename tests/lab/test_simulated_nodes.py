from __future__ import annotations

from pathlib import Path

import pytest

from trainyard.lab.lab import Lab
from trainyard.lab.lab_node import LabNode
from trainyard.lab.lab_process import LabProcess
from trainyard.lab.simulated_nodes import SimulatedNodes, SimulatedState, states_of, trouble_of
from trainyard.lab.slurm_programs import SlurmPrograms
from trainyard.simulation.exporters import answering, exposition, series_of

ONE, TWO, THREE, DYNAMIC = NAMES = ("gpu-st-p5-1", "gpu-st-p5-2", "gpu-st-p5-3", "gpu-dy-p5-1")
NODES = tuple(LabNode(name, "gpu", "-st-" in name, 96, 2000, 8, "h100", "", "p5.48xlarge") for name in NAMES)
LAB = Lab("llm", Path("/srv/labs/llm"), NODES, SlurmPrograms())


def now(activity: str = "idle", *troubles: str) -> SimulatedState:
    return SimulatedState(is_there=True, activity=activity, troubles=frozenset(troubles))


IDLE = now()


def slurmd(node: str, state: str = "S") -> LabProcess:
    return LabProcess(1, 1, "slurmd", ("slurmd", "-N", node, "-f", f"{LAB.folder}/slurm.conf"), {}, state)


def rank(node: str, job: str, state: str = "R", lab: str = "llm") -> LabProcess:
    variables = {"SLURM_CLUSTER_NAME": lab, "SLURM_JOB_ID": job, "SLURMD_NODENAME": node}
    return LabProcess(2, 1, "python", ("python",), variables, state)


DAEMONS = [slurmd(name) for name in (ONE, TWO, THREE)]


def test_a_node_is_busy_with_what_slurm_gives_it_and_a_dynamic_one_that_nobody_wants_is_not_there():
    states = states_of(LAB, {ONE: "allocated", TWO: "mixed*", THREE: "idle"}, {}, DAEMONS)
    assert [states[name].activity for name in (ONE, TWO, THREE)] == ["busy", "busy", "idle"]
    assert [states[name].is_there for name in NAMES] == [True, True, True, False]
    assert all(states[name].troubles == frozenset() for name in (ONE, TWO, THREE))


def test_a_dynamic_node_is_there_once_it_has_started():
    there = states_of(LAB, {DYNAMIC: "allocated"}, {}, [slurmd(DYNAMIC)])[DYNAMIC]
    starting = states_of(LAB, {DYNAMIC: "allocated#"}, {}, [])[DYNAMIC]
    assert (there, starting.is_there) == (now("busy"), False)


def test_a_node_whose_slurmd_is_gone_or_frozen_is_dead():
    states = states_of(LAB, {}, {}, [slurmd(ONE), slurmd(TWO, "T")])
    assert [states[name].troubles for name in (ONE, TWO, THREE)] == [set(), {"dead"}, {"dead"}]


def test_a_node_with_frozen_ranks_hangs_and_the_others_of_its_job_wait():
    ranks = [rank(ONE, "7", "T"), rank(TWO, "7"), rank(THREE, "8"), rank(THREE, "7", "T", lab="other")]
    states = states_of(LAB, {}, {}, [*DAEMONS, *ranks])
    assert [states[name].troubles for name in (ONE, TWO, THREE)] == [{"hang"}, {"waits"}, set()]


@pytest.mark.parametrize(
    ("reason", "trouble"),
    [
        ("gpu-xid: Xid 79, GPU has fallen off the bus", "off-the-bus"),
        ("gpu-xid: Xid 64, row remapping failed", "bad-row"),
        ("gpu-ecc: 3 uncorrectable errors", "memory-error"),
        ("efa-count: 31 of 32", "efa-interface-missing"),
    ],
)
def test_what_a_health_check_says_ails_the_node(reason: str, trouble: str):
    assert trouble_of(reason) == trouble
    assert states_of(LAB, {}, {ONE: reason}, DAEMONS)[ONE].troubles == {trouble}


def test_troubles_begin_and_end_when_they_are_seen_and_counters_go_on():
    nodes = SimulatedNodes(NODES, 1000.0)
    nodes.see(dict.fromkeys(NAMES, IDLE), 1010.0)
    nodes.see({ONE: now("busy", "dead")}, 1060.0)
    nodes.see({ONE: now("busy")}, 1120.0)
    (found,) = (node for _, node in nodes.there() if node.host == ONE)
    assert answering(found, "dcgm-exporter").at([1050, 1061, 1119, 1121]) == [1, 0, 0, 1]
    assert [(spell.from_s, spell.activity) for spell in found.spells] == [(1000.0, "idle"), (1060.0, "busy")]
    (energy, later) = (
        next(line for line in exposition(series_of(found, "dcgm-exporter"), at_s).splitlines() if "ENERGY" in line)
        for at_s in (1130, 1190)
    )
    assert float(later.split()[-1]) - float(energy.split()[-1]) > 60 * 300_000  # mJ: a busy H100 draws more than 300 W


def test_a_node_that_is_seen_as_before_is_the_same():
    nodes = SimulatedNodes(NODES, 1000.0)
    nodes.see(dict.fromkeys(NAMES, IDLE), 1010.0)
    before = nodes.there()
    nodes.see(dict.fromkeys(NAMES, IDLE), 1020.0)
    assert all(one is other for (_, one), (_, other) in zip(before, nodes.there(), strict=True))


def test_a_gpu_that_falls_off_the_bus_is_in_no_list_and_the_others_are():
    nodes = SimulatedNodes(NODES, 1000.0)
    nodes.see({ONE: now("idle", "off-the-bus")}, 1010.0)
    ((_, found),) = nodes.there()
    text = exposition(series_of(found, "dcgm-exporter"), 1020.0)
    assert ('gpu="0"' in text, 'gpu="1"' in text) == (False, True)
