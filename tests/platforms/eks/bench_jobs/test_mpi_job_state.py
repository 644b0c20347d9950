"""How an MPIJob is, from what the API server has of it and its pods."""

from __future__ import annotations

from typing import Any

import pytest

from tests.platforms.eks.bench_jobs.scripted_operator import ended, evicted, pod, running, unschedulable, waiting
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import mpi_job_status
from trainyard.platforms.eks.mpi_jobs.node_fit import amount
from trainyard.submission.scheduler import JobState

RUN: dict[str, Any] = {"metadata": {"name": "x-1f3a9c2e"}}


def look(
    *workers: dict[str, Any], launcher: dict[str, Any] | None = None, said: dict[str, str] | None = None
) -> JobState:
    pods = [pod(RUN, "worker", f"x-1f3a9c2e-worker-{at}", one, f"ip-{at}") for at, one in enumerate(workers)]
    if launcher is not None:
        pods.append(pod(RUN, "launcher", "x-1f3a9c2e-launcher-abcde", launcher, "ip-0"))
    conditions = [] if said is None else [{"status": "True", **said}]
    return mpi_job_status({**RUN, "status": {"conditions": conditions}}, pods).state


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (look(), JobState("PENDING", "the MPI operator has made no pods for it yet")),
        (look(unschedulable("no"), running()), JobState("PENDING", 'worker-0: Unschedulable: "no"')),
        (look(waiting("ContainerCreating"), running()),
         JobState("CONFIGURING", "worker-0: ContainerCreating", "ip-0, ip-1")),
        (look(running(), running()), JobState("CONFIGURING", "", "ip-0, ip-1")),
        (look(running(), launcher=waiting("ContainerCreating")),
         JobState("CONFIGURING", "launcher: ContainerCreating", "ip-0")),
        (look(running(), launcher=running()), JobState("RUNNING", "", "ip-0")),
        (look(ended(1), running(), launcher=running()), JobState("RUNNING", "worker-0: exit code 1", "ip-0, ip-1")),
        (look(running(), launcher=ended()), JobState("COMPLETING", "", "ip-0")),
        (look(running(), launcher=ended(1)), JobState("COMPLETING", "launcher: exit code 1", "ip-0")),
        (look(said={"type": "Succeeded"}), JobState("COMPLETED")),
        (look(said={"type": "Failed", "reason": "MPIJobFailed"}), JobState("FAILED", "MPIJobFailed")),
        (look(evicted("no disk"), said={"type": "Failed", "reason": "MPIJobEvicted"}),
         JobState("FAILED", 'worker-0: Evicted: "no disk"', "ip-0")),
        (look(*[ended(1)] * 6, launcher=ended(2), said={"type": "Failed"}),
         JobState("FAILED", "worker-0, worker-1, worker-2 and 3 more: exit code 1; launcher: exit code 2",
               "ip-0, ip-1, ip-2 and 3 more")),
        (look(launcher=ended(143), said={"type": "Failed", "reason": "DeadlineExceeded", "message": "too long"}),
         JobState("FAILED", 'DeadlineExceeded: "too long": launcher: exit code 143')),
        (look(running(), said={"type": "Failed", "status": "False"}), JobState("CONFIGURING", "", "ip-0")),
    ],
)  # fmt: skip
def test_a_look_at_a_job_is_a_state_in_slurm_s_words(found: JobState, state: JobState):
    assert found == state


@pytest.mark.parametrize(
    "document", [{}, {"status": None}, {"status": {"conditions": None}}, {"status": {"conditions": [{}]}}]
)
def test_a_job_of_which_nothing_is_said_yet_waits(document: dict[str, Any]):
    pods: list[dict[str, Any]] = [
        {"metadata": {"name": "p"}},
        {"metadata": {"name": "q"}, "status": None, "spec": None},
    ]
    assert mpi_job_status({**RUN, **document}, []).state.state == "PENDING"
    assert mpi_job_status({**RUN, **document}, pods).state.state == "CONFIGURING"


@pytest.mark.parametrize(
    ("written", "value"),
    [("8", 8), (8, 8), ("191450m", 191.45), ("2063937112Ki", 2063937112 * 1024), ("10256Mi", 10256 * 2**20),
     ("1.5Gi", 1.5 * 2**30), ("2k", 2000), ("1e3", 1000), ("3E", 3e18), ("", 0), ("many", 0), (None, 0)],
)  # fmt: skip
def test_amounts_are_read_as_kubernetes_writes_them(written: object, value: float):
    assert amount(written) == pytest.approx(value)
