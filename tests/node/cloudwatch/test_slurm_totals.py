"""The totals of a cluster, from what Slurm says."""

from __future__ import annotations

import pytest

from tests.node.collectors.recorded_programs import RecordedPrograms
from trainyard.render.cloudwatch_metrics import OF_SLURM
from trainyard_node.cloudwatch.slurm_totals import SlurmTotals, job_counts, node_counts
from trainyard_node.collectors.slurm.jobs import JobGroup
from trainyard_node.collectors.slurm.nodes import Node
from trainyard_node.errors import NodeError

DOCUMENTED = {"NodesTotal", "NodesIdle", "NodesAllocated", "NodesDown", "JobsRunning", "JobsPending", "JobsTotal"}


def nodes(*states: str) -> dict[str, int]:
    return node_counts(
        Node(f"n{at}", tuple(state.split("+")), 8, 0, None, 1, 0, None, "", "", 1, "")
        for at, state in enumerate(states)
    )


def jobs(*counts: tuple[int, str]) -> dict[str, int]:
    return job_counts([JobGroup(number, state, ("q",), "u", "a", 1, 1, 0, 0.0, "") for number, state in counts])


def test_a_node_that_is_powered_down_is_not_idle():
    found = nodes("IDLE+CLOUD", "IDLE+CLOUD+POWERED_DOWN", "IDLE+CLOUD+POWERING_DOWN", "IDLE+CLOUD+POWERING_UP")
    assert found == {
        "NodesTotal": 4,
        "NodesIdle": 1,
        "NodesAllocated": 0,
        "NodesDown": 0,
        "NodesPoweredDown": 2,
    }


@pytest.mark.parametrize("state", ["ALLOCATED", "MIXED", "ALLOCATED+CLOUD+COMPLETING", "MIXED+DRAIN"])
def test_a_node_with_a_job_is_allocated(state: str):
    found = nodes(state)
    assert (found["NodesAllocated"], found["NodesIdle"]) == (1, 0)


def test_a_node_that_starts_for_a_job_is_allocated_and_not_powered_down():
    assert nodes("ALLOCATED+CLOUD+POWERING_UP", "ALLOCATED+CLOUD+POWERED_DOWN")["NodesAllocated"] == 2
    assert nodes("ALLOCATED+CLOUD+POWERED_DOWN")["NodesPoweredDown"] == 0


@pytest.mark.parametrize("state", ["DOWN", "DOWN*+CLOUD", "DOWN+CLOUD+POWERED_DOWN", "ERROR", "IDLE+FAIL"])
def test_a_node_that_is_down_is_down_and_nothing_else(state: str):
    found = nodes(state)
    assert [name for name, count in found.items() if count] == ["NodesTotal", "NodesDown"]


@pytest.mark.parametrize(
    "flag", ["DRAIN", "RESERVED", "MAINTENANCE", "NOT_RESPONDING", "POWER_DOWN", "REBOOT_ISSUED", "COMPLETING"]
)
def test_a_node_that_takes_no_job_is_not_idle(flag: str):
    assert nodes(f"IDLE+CLOUD+{flag}")["NodesIdle"] == 0


def test_a_node_that_is_planned_for_a_job_is_idle_until_it_starts():
    assert nodes("IDLE+CLOUD+PLANNED")["NodesIdle"] == 1


def test_jobs_that_have_ended_are_not_counted():
    found = jobs((3, "RUNNING"), (1000, "PENDING"), (5, "COMPLETED"), (1, "CANCELLED"), (2, "SUSPENDED"))
    assert found == {"JobsRunning": 3, "JobsPending": 1000, "JobsTotal": 1005}


@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_a_recorded_cluster_has_all_totals_without_dimensions(version: str):
    (batch,) = SlurmTotals(RecordedPrograms(version), "llm").batches()
    assert (batch.namespace, batch.dimensions) == ("ParallelCluster/llm/Slurm", {})
    found = {metric.name: metric.values[0] for metric in batch.metrics}
    assert set(found) == DOCUMENTED | {"NodesPoweredDown"}
    assert len(found) == OF_SLURM
    assert found["NodesTotal"] >= found["NodesIdle"] + found["NodesAllocated"] + found["NodesDown"] > 0
    assert found["NodesPoweredDown"] > 0
    assert found["JobsTotal"] >= found["JobsRunning"] + found["JobsPending"] > 0


def test_a_slurm_that_does_not_answer_is_an_error_and_no_zeros():
    with pytest.raises(NodeError, match="squeue took longer"):
        list(SlurmTotals(RecordedPrograms(squeue=NodeError("squeue took longer than 15 s")), "llm").batches())
