"""Held, replaced, scaled and taken away: a real Slurm with ParallelCluster's own clustermgtd on an emulated EC2."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.node.newer_slurm import ROOT, SID_ROOT, write_programs
from tests.operate.slurm.parallelcluster_head import CLUSTER, DYNAMIC, STATIC, Head, parallelcluster_head
from tests.rehearsal.account_copies import empty_account
from tests.waiting import wait_until
from trainyard.edge.aws import s3
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.operate.nodes.replacement import ReplacementRequest, replace_node
from trainyard.operate.slurm.node_commands import NodeCommands
from trainyard.operate.slurm.node_replacement import SlurmReplacement

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.exhaustive,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
LOOKS = 4
"""So often clustermgtd looks at what it is to leave alone."""


# 3.16.1 tells Slurm the ids of instances, which 22.05 does not take.
@pytest.fixture(params=[pytest.param(ROOT, id="24.11"), pytest.param(SID_ROOT, id="26.05")])
def head(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Head]:
    with TemporaryDirectory(prefix="head-", dir="/tmp") as name, empty_account() as account:
        folder = Path(name)
        folder.chmod(0o755)
        programs = folder / "slurm" / "bin"
        programs.mkdir(parents=True)
        write_programs(programs, request.param)
        monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
        with parallelcluster_head(account, folder, programs) as made:
            monkeypatch.setenv("SLURM_CONF", made.slurm.variables["SLURM_CONF"])
            wait_until(lambda: all(map(made.is_free, STATIC)), lambda: made.log[-3000:])
            yield made


def looked_on(head: Head) -> None:
    """Wait until clustermgtd has looked some times more."""
    seen = head.looks
    wait_until(lambda: head.looks >= seen + LOOKS)


def test_a_held_node_is_left_alone_replaced_when_its_job_is_over_and_no_job_is_lost(head: Head):
    bad, other = STATIC
    slurm, former, stays = head.slurm, head.instance_of(bad), head.instance_of(other)
    job = slurm.submit("sleep 600", f"--nodelist={bad}")
    elsewhere = slurm.submit("sleep 600", f"--nodelist={other}")
    wait_until(lambda: {slurm.job(job), slurm.job(elsewhere)} == {"RUNNING"})
    NodeCommands(LocalSlurm(), bad).hold()
    looked_on(head)
    assert (head.instance_of(bad), slurm.job(job)) == (former, "RUNNING"), head.log[-12000:]

    def tell(text: str) -> None:
        if text.startswith("waits for"):
            looked_on(head)
            assert (head.instance_of(bad), slurm.job(job)) == (former, "RUNNING")
            slurm.run("scancel", job)  # it is over

    bucket = s3.own_bucket(head.account)
    s3.make_bucket(head.account, bucket)
    request = ReplacementRequest(
        head.account, bucket, CLUSTER, bad, "Xid 79", reports=False, wait_for_jobs_s=300, timeout_s=300, tell=tell
    )
    done = replace_node(request, SlurmReplacement(request, LocalSlurm()))
    assert (done.stage, done.instance_id) == ("done", former)
    assert done.new_instance_id == head.instance_of(bad) != former
    assert former not in head.instances()
    assert (slurm.job(elsewhere), head.instance_of(other)) == ("RUNNING", stays)
    after = slurm.submit("true", f"--nodelist={bad}")
    wait_until(lambda: slurm.job(after) == "COMPLETED")


def test_an_idle_node_that_is_held_is_not_replaced_again_and_again(head: Head):
    before = head.instances()
    NodeCommands(LocalSlurm(), STATIC[0]).hold()
    looked_on(head)
    assert head.instances() == before, head.log[-12000:]


def test_a_dynamic_node_comes_with_its_job_and_goes_when_it_is_over(head: Head):
    slurm = head.slurm
    job = slurm.submit("sleep 5", f"--nodelist={DYNAMIC[0]}")
    wait_until(lambda: slurm.job(job) == "COMPLETED", lambda: head.log[-3000:])
    wait_until(lambda: len(head.instances()) == len(STATIC), lambda: head.log[-3000:])
    assert {*map(head.instance_of, STATIC)} == head.instances().keys()


def test_a_job_whose_instance_ec2_takes_back_begins_again_on_the_next_one(head: Head):
    slurm, name = head.slurm, STATIC[0]
    former = head.instance_of(name)
    job = slurm.submit("sleep 600", f"--nodelist={name}", "--requeue")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    head.account.client("ec2").terminate_instances(InstanceIds=[former])  # as at the end of a block
    wait_until(lambda: head.instance_of(name) not in (None, former), lambda: head.log[-3000:])
    wait_until(lambda: "Restarts=1" in slurm.run("scontrol", "show", "job", job), lambda: head.log[-3000:])
    slurm.run("scontrol", "update", f"JobId={job}", "StartTime=now")  # which Slurm would put off for two minutes
    wait_until(lambda: slurm.job(job) == "RUNNING", lambda: head.log[-3000:])
    assert head.instance_of(name) not in (None, former)
