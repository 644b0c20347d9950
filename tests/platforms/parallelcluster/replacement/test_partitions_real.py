"""A queue that moves, with a real Slurm: what it says of a partition in each state, and what becomes of its jobs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.remote_command import CommandResult
from trainyard.platforms.parallelcluster.replacement.partitions import Partitions, is_inactive, takes_jobs

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]


@pytest.fixture(params=["22.05", pytest.param("24.11", marks=pytest.mark.exhaustive)])
def slurm(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    if request.param == "24.11":
        write_programs(tmp_path)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with real_slurm(1) as made:
        yield made


class Head:
    """The head node: this machine, where Slurm is not where ParallelCluster has it."""

    def __init__(self, slurm: Slurm) -> None:
        self.variables = {**os.environ, **slurm.variables}

    def run(self, words: Sequence[str]) -> CommandResult:
        own = [word.removeprefix("/opt/slurm/bin/") for word in words if word not in ("sudo", "-n")]
        done = subprocess.run(own, env=self.variables, capture_output=True, check=False)
        return CommandResult(done.returncode, done.stdout, done.stderr.decode())


def test_jobs_of_a_queue_that_closes_run_to_their_end_and_nobody_submits_more(slurm: Slurm):
    partitions = Partitions("blue", cast("SsmSlurm", Head(slurm)))
    assert partitions.states() == {"q": "up"}
    assert takes_jobs("up")
    first = slurm.submit("sleep 1000", "--exclusive")
    waiting = slurm.submit("sleep 1000", "--exclusive")
    wait_until(lambda: slurm.job(first) == "RUNNING")
    partitions.set_state("q", "DRAIN")
    assert partitions.states() == {"q": "drain"}
    assert not takes_jobs("drain")
    assert not is_inactive("drain")
    with pytest.raises(AssertionError, match="Required partition not available"):
        slurm.submit("true")
    assert [job.rpartition(", ")[2] for job in sorted(partitions.jobs("q"))] == ["running", "pending"]
    slurm.run("scancel", first)
    wait_until(lambda: slurm.job(waiting) == "RUNNING")
    slurm.run("scancel", waiting)
    wait_until(lambda: partitions.jobs("q") == ())
    partitions.set_state("q", "INACTIVE")
    (state,) = partitions.states().values()
    assert is_inactive(state)
    partitions.set_state("q", "UP")
    assert partitions.states() == {"q": "up"}
