"""The totals for CloudWatch and a real Slurm: each is what Slurm itself says when it is asked in another way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node.collectors.busy_slurm import busy_slurm
from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm
from trainyard_node.cloudwatch.slurm_totals import SlurmTotals
from trainyard_node.programs import RealPrograms

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]


@pytest.fixture(scope="module", params=["22.05", "24.11"])
def slurm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "24.11":
            programs: Path = tmp_path_factory.mktemp("programs")
            write_programs(programs)
            patch.setenv("PATH", str(programs), prepend=os.pathsep)
        with busy_slurm() as made:
            patch.setenv("SLURM_CONF", made.variables["SLURM_CONF"])
            yield made


def test_every_total_is_slurms_own(slurm: Slurm):
    (batch,) = SlurmTotals(RealPrograms(), "llm").batches()
    found = {metric.name: metric.values[0] for metric in batch.metrics}
    nodes = dict(line.split() for line in slurm.run("sinfo", "-a", "-h", "-N", "--format=%N %t").splitlines())
    states = list(nodes.values())
    jobs = slurm.run("squeue", "-a", "-r", "-h", "--format=%T").splitlines()
    assert found == {
        "NodesTotal": len(nodes),
        "NodesIdle": states.count("idle"),
        "NodesAllocated": sum(state.rstrip("~#*") in ("alloc", "mix") for state in states),
        "NodesDown": sum(state.startswith("down") for state in states),
        "NodesPoweredDown": states.count("idle~"),
        "JobsRunning": jobs.count("RUNNING"),
        "JobsPending": jobs.count("PENDING"),
        "JobsTotal": len(jobs),
    }
    assert found["NodesPoweredDown"] > 0
