"""Jobs on a Capacity Block that ends, and a real Slurm: the one of this machine and one as new as ParallelCluster's."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard_node.block_end_command import NOTICE_S, REQUEUE_S, record_of_ends, run
from trainyard_node.clock import RealClock
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
BLOCK, HELD = "cr-0a1b2c3d4e5f60718", "q-st-cpu-1"
RESERVATION = f"trainyard-block-{BLOCK}"
NEAR_S, FAR_S = NOTICE_S - 60, NOTICE_S + 600
FOREVER = "while :; do sleep 1; done"


class Clock(RealClock):
    """The clock of the machine, moved forward by a test."""

    ahead_s = 0.0

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self.ahead_s)


class Ec2:
    """Stands for the AWS command line, and says when the block ends."""

    def __init__(self) -> None:
        """Begin with a block whose instances go long after now."""
        self.end: datetime | None = None
        self.asked = 0

    def gone_in(self, seconds: float) -> None:
        """Let the instances go in so many seconds: half an hour before the end of the block."""
        self.end = datetime.now(UTC) + timedelta(seconds=seconds, minutes=30)

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        assert (command[-1], timeout_s <= 60, most_bytes > 0, variables) == (BLOCK, True, True, {})
        self.asked += 1
        if self.end is None:
            raise NodeError("aws ended with status 255: Connect timeout on endpoint URL")
        said = {
            "CapacityReservationId": BLOCK, "InstanceType": "p5.48xlarge", "ReservationType": "capacity-block",
            "State": "active", "EndDate": self.end.isoformat(),
        }  # fmt: skip
        return json.dumps({"CapacityReservations": [said]}).encode()


class HeadNode:
    """A head node with a Slurm, and what it is told of its block."""

    def __init__(self, slurm: Slurm, root: Path) -> None:
        """The first of the two nodes comes from the block, the other one does not."""
        self.slurm, self.ec2, self.clock = slurm, Ec2(), Clock()
        places = Places(str(root))
        places.node_env.parent.mkdir(parents=True)
        settings = {"REGION": "us-east-2", "CAPACITY_BLOCKS": f"{BLOCK}:q:cpu:30"}
        places.node_env.write_text("".join(f"TRAINYARD_{key}='{value}'\n" for key, value in settings.items()))
        self.places, self.world = places, World(places, self.clock, RealProcesses())

    def look(self) -> int:
        """Run the command once."""
        return run(Namespace(), self.world, self.ec2)

    def limit(self, job: str) -> str:
        return self.slurm.run("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%l")

    def end(self, job: str) -> datetime:
        return datetime.fromisoformat(self.slurm.run("squeue", "--noheader", f"--jobs={job}", "--format=%e"))

    def running(self, script: str, *options: str) -> str:
        job = self.slurm.submit(script, f"--nodelist={HELD}", *options)
        wait_until(lambda: self.slurm.job(job) == "RUNNING")
        return job


@pytest.fixture(scope="module", params=["22.05", pytest.param("24.11", marks=pytest.mark.exhaustive)])
def slurm(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "24.11":
            programs: Path = tmp_path_factory.mktemp("programs")
            write_programs(programs)
            patch.setenv("PATH", str(programs), prepend=os.pathsep)
        more = "NodeName=q-st-other-1 NodeHostname=other NodeAddr=127.0.0.1 Port=1 CPUs=2 RealMemory=500\n"
        with real_slurm(1, more=more) as made:
            patch.setenv("SLURM_CONF", made.variables["SLURM_CONF"])
            yield made


@pytest.fixture
def head(slurm: Slurm, tmp_path: Path) -> Iterator[HeadNode]:
    yield HeadNode(slurm, tmp_path)
    slurm.run("scancel", "--user=nobody")
    wait_until(lambda: not slurm.run("squeue", "--noheader", "--states=running,pending,completing"))
    if RESERVATION in slurm.run("scontrol", "show", "reservation"):
        slurm.run("scontrol", "delete", f"ReservationName={RESERVATION}")


def test_long_before_the_end_nothing_happens_and_ec2_is_asked_every_ten_minutes(head: HeadNode):
    job = head.running(FOREVER)
    head.ec2.gone_in(86_400)
    before = head.limit(job)
    assert (head.look(), head.look(), head.ec2.asked) == (0, 0, 1)
    head.clock.ahead_s = 700
    assert (head.look(), head.ec2.asked, head.limit(job)) == (0, 2, before)
    assert RESERVATION not in head.slurm.run("scontrol", "show", "reservation")


def test_before_the_end_jobs_get_it_as_theirs_and_only_those_begin_that_end_in_time(head: HeadNode):
    long, short = head.running(FOREVER), head.running(FOREVER, "--time=5")
    head.ec2.gone_in(NEAR_S)
    short_end = head.end(short)
    assert head.look() == 0
    assert head.ec2.end is not None
    gone = (head.ec2.end - timedelta(minutes=30)).astimezone().replace(tzinfo=None)
    assert abs((head.end(long) - gone).total_seconds()) <= 1
    assert head.end(short) == short_end
    head.slurm.run("scancel", long, short)
    endless = head.slurm.submit("true", f"--nodelist={HELD}")
    quick = head.slurm.submit("true", f"--nodelist={HELD}", "--time=1")
    wait_until(lambda: head.slurm.job(quick) == "COMPLETED")
    assert head.slurm.job(endless) == "PENDING"
    assert "q-st-other-1" not in head.slurm.run("scontrol", "show", "reservation", RESERVATION)
    assert head.look() == 0  # and again, each minute


def test_a_job_gets_the_signal_that_it_asked_for_as_early_as_it_asked(head: HeadNode, tmp_path: Path):
    folder = Path(head.slurm.folder) / "signals"
    folder.mkdir(mode=0o777, exist_ok=True)
    folder.chmod(0o777)
    script = f"trap 'touch {folder}/checkpoint; exit 0' USR1\n{FOREVER}"
    job = head.running(script, f"--signal=B:USR1@{int(NOTICE_S)}")
    head.ec2.gone_in(NEAR_S)
    assert head.look() == 0
    wait_until(lambda: head.slurm.job(job) == "COMPLETED")
    assert (folder / "checkpoint").exists()
    assert tmp_path.exists()


def test_a_job_that_still_runs_is_requeued_with_the_time_limit_it_had(head: HeadNode):
    job, fixed = head.running(FOREVER, "--time=300"), head.running(FOREVER, "--no-requeue")
    head.ec2.gone_in(NEAR_S)
    assert head.look() == 0
    assert head.limit(job) != "5:00:00"
    head.ec2.gone_in(REQUEUE_S - 10)
    assert head.look() == 0
    wait_until(lambda: head.slurm.job(job) == "PENDING")
    assert head.limit(job) == "5:00:00"
    assert head.slurm.job(fixed) == "RUNNING"  # Slurm ends it at its end


def test_a_block_that_is_extended_gives_its_jobs_their_time_back(head: HeadNode):
    job = head.running(FOREVER, "--time=300")
    head.ec2.gone_in(NEAR_S)
    assert head.look() == 0
    waiting = head.slurm.submit("true", f"--nodelist={HELD}", "--time=60")
    head.ec2.gone_in(86_400)
    assert head.look() == 0
    assert head.limit(job) == "5:00:00"
    wait_until(lambda: head.slurm.job(waiting) == "COMPLETED")
    assert RESERVATION not in head.slurm.run("scontrol", "show", "reservation")
    assert json.loads(record_of_ends(head.places).read_text())["blocks"][BLOCK]["time_limits"] == {}


def test_where_ec2_does_not_answer_what_it_said_last_holds(head: HeadNode, capsys: pytest.CaptureFixture[str]):
    job = head.running(FOREVER)
    head.ec2.gone_in(FAR_S)
    assert head.look() == 0
    head.ec2.end, head.clock.ahead_s = None, FAR_S - NEAR_S
    assert head.look() == 0
    assert "when it ends is not known anew" in capsys.readouterr().err
    assert RESERVATION in head.slurm.run("scontrol", "show", "reservation")
    assert head.limit(job) != "UNLIMITED"


def test_a_fake_clock_takes_a_block_past_its_end(head: HeadNode):
    job = head.running(FOREVER)
    head.ec2.gone_in(FAR_S)
    seen = []
    for ahead_s in (0, FAR_S - NEAR_S, FAR_S + 60, FAR_S + 1900):
        head.clock.ahead_s = ahead_s
        assert head.look() == 0
        seen.append(RESERVATION in head.slurm.run("scontrol", "show", "reservation"))
    assert seen == [False, True, True, True]  # Slurm, whose clock is the real one, ends the reservation by itself
    assert "Duration=00:30:00" in head.slurm.run("scontrol", "show", "reservation", RESERVATION)
    assert head.slurm.job(job) == "RUNNING"


def test_a_slurm_that_does_not_answer_is_an_error_and_what_was_known_stays(
    head: HeadNode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    head.ec2.gone_in(NEAR_S)
    assert head.look() == 0
    known = record_of_ends(head.places).read_text()
    with monkeypatch.context() as patch:
        patch.setenv("SLURM_CONF", "/nowhere")
        assert head.look() == 1
    assert BLOCK in capsys.readouterr().err
    assert record_of_ends(head.places).read_text() == known


@pytest.mark.parametrize("written", ["cr-1", f"{BLOCK}:q:cpu", f"{BLOCK}:q:cpu:soon"])
def test_a_setting_that_cannot_be_read_is_an_error(head: HeadNode, written: str):
    head.places.node_env.write_text(f"TRAINYARD_REGION='us-east-2'\nTRAINYARD_CAPACITY_BLOCKS='{written}'\n")
    with pytest.raises(NodeError, match=r"TRAINYARD_CAPACITY_BLOCKS of node\.env cannot be read"):
        head.look()
