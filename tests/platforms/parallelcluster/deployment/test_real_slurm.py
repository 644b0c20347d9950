"""What an update does to queues and nodes, in a real Slurm: this machine's, and one as new as ParallelCluster's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence

import pytest

from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.edge.remote_command import CommandResult
from trainyard.operate.slurm.slurm_state import slurm_state
from trainyard.platforms.parallelcluster.deployment.closed_queues import queue_states, set_queue

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
# As ParallelCluster has it in slurm.conf.
SETTINGS = "ReconfigFlags=KeepPartState\n"


class Here:
    """This machine as the head node: its commands are where a test has put them, and its user is root."""

    def __init__(self, slurm: Slurm) -> None:
        """Take the Slurm that is asked."""
        self._variables = {**os.environ, **slurm.variables}

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:
        words = [word.removeprefix("/opt/slurm/bin/") for word in arguments if word not in ("sudo", "-n")]
        done = subprocess.run(words, env=self._variables, cwd="/", input=content, capture_output=True, check=False)
        return CommandResult(done.returncode, done.stdout, done.stderr.decode())


@pytest.fixture(scope="module", params=["22.05", "24.11"])
def slurm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "24.11":
            programs = tmp_path_factory.mktemp("programs")
            write_programs(programs)
            patch.setenv("PATH", str(programs), prepend=os.pathsep)
        with real_slurm(2, more=SETTINGS) as made:
            yield made


def running(slurm: Slurm, node: str) -> str:
    """Submit a job that runs until its file is there."""
    job = slurm.submit(f"while ! test -e {slurm.folder}/end-$SLURM_JOB_ID; do sleep 0.2; done", f"--nodelist={node}")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    return job


def end(slurm: Slurm, job: str) -> None:
    (slurm.folder / f"end-{job}").touch()
    wait_until(lambda: slurm.job(job) == "COMPLETED")


def test_a_closed_queue_ends_no_job_starts_none_and_keeps_what_is_submitted(slurm: Slurm):
    here, (first, _) = Here(slurm), slurm.nodes
    job = running(slurm, first)
    assert [(told.id, told.user) for told in slurm_state(here, ["q"]).running] == [(job, "nobody")]
    assert queue_states(here) == {"q": "up"}

    set_queue(here, "q", "DOWN")
    waiting = slurm.submit("true")
    slurm.run("scontrol", "reconfigure")  # which an update does
    assert (queue_states(here), slurm.job(job), slurm.job(waiting)) == ({"q": "down"}, "RUNNING", "PENDING")
    end(slurm, job)
    assert (slurm_state(here, ["q"]).running, slurm.job(waiting)) == ((), "PENDING")

    set_queue(here, "q", "UP")
    wait_until(lambda: slurm.job(waiting) == "COMPLETED")


def test_a_node_that_drains_for_an_update_ends_its_job_and_begins_no_other(slurm: Slurm):
    first, second = slurm.nodes
    job = running(slurm, first)
    slurm.run("scontrol", "update", f"NodeName={first}", "State=DRAIN", "Reason=updating")
    held, free = slurm.submit("true", f"--nodelist={first}"), slurm.submit("true", f"--nodelist={second}")
    wait_until(lambda: slurm.job(free) == "COMPLETED")
    assert (slurm.job(job), slurm.job(held), slurm.node(first)) == ("RUNNING", "PENDING", "draining")
    end(slurm, job)
    wait_until(lambda: slurm.node(first).startswith("drained"), lambda: slurm.node(first))
    slurm.run("scontrol", "update", f"NodeName={first}", "State=RESUME")  # as the node does that replaces it
    wait_until(lambda: slurm.job(held) == "COMPLETED")


def test_what_slurm_does_not_do_is_an_error(slurm: Slurm):
    with pytest.raises(Exception, match=r"scontrol failed: .*[Ii]nvalid partition"):
        set_queue(Here(slurm), "nowhere", "UP")
