"""Bandwidth tests on a real Slurm with two nodes: submitted, followed, killed, continued, fetched and judged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench.programs.torch_python import torch_python
from tests.browser import chromium
from tests.render.bench.test_with_real_slurm import nodes_with_tests
from tests.slurm import Slurm, real_slurm
from tests.submission.ways import Agent, programs, systems_manager
from tests.waiting import wait_until
from trainyard.api.bench_judge import judge_files
from trainyard.api.bench_submit import (
    JobCluster,
    JobSelection,
    SubmissionResult,
    cancel_jobs,
    local_cluster,
    submit_jobs,
)
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.ssh import SshSlurm
from trainyard.errors import TrainyardError
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.submitted_jobs import read_submission_record

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
SPEC = """\
name: lab
region: us-east-2
platform: parallelcluster
queues:
  - name: q
    instance_type: g5.xlarge
    nodes: 2
"""
TCP = JobSelection(backend="tcp")


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with real_slurm(gpus=1) as made:
        yield made


@pytest.fixture
def cluster(slurm: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> JobCluster:
    monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
    (tmp_path / "cluster.yaml").write_text(SPEC)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return local_cluster(str(tmp_path / "cluster.yaml"))


def submit(cluster: JobCluster, results: Path, jobs: JobSelection = TCP, **more: Any) -> SubmissionResult:
    return submit_jobs(cluster, jobs, results=results, **more)


def hold(slurm: Slurm) -> None:
    slurm.run("scontrol", "update", f"nodename={','.join(slurm.nodes)}", "state=drain", "reason=test")


def release(slurm: Slurm) -> None:
    slurm.run("scontrol", "update", f"nodename={','.join(slurm.nodes)}", "state=resume")
    wait_until(lambda: {slurm.node(name) for name in slurm.nodes} == {"idle"})


def jobs_of(slurm: Slurm, results: Path) -> list[str]:
    """Return the numbers of all jobs that Slurm has of a results folder."""
    memory = read_submission_record(results)
    assert memory is not None
    said = slurm.run("squeue", "--noheader", "--states=all", "--format=%i %k")
    return [line.split()[0] for line in said.splitlines() if memory.token in line]


def test_a_sweep_without_gpus_comes_back_as_a_table_that_is_judged(cluster: JobCluster, tmp_path: Path):
    submission_result = submit(cluster, tmp_path / "results")
    (job,) = submission_result.jobs
    assert (job.outcome.state, submission_result.good) == ("COMPLETED", True)
    (judged,) = job.judged
    run = judged.judgement.case.run
    assert (run.collective, run.ranks, run.hosts, run.wrong_total, run.concluded) == (
        "all_reduce", 2, ["q-st-cpu-1", "q-st-cpu-2"], 0, True,
    )  # fmt: skip
    assert [row.size_bytes for row in run.rows] == [2**power for power in range(3, 19)]
    # The folder as a whole is what bench judge and bench report are given.
    assert [judge_file.judgement.case.run.ranks for judge_file in judge_files((str(tmp_path / "results"),))] == [2]


@pytest.mark.exhaustive
def test_a_sweep_by_gloo_comes_back_as_a_table_and_a_report(cluster: JobCluster, tmp_path: Path):
    submission_result = submit(cluster, tmp_path / "results", JobSelection(backend="gloo", python=torch_python()))
    (job,) = submission_result.jobs
    assert (job.outcome.state, submission_result.good) == ("COMPLETED", True)
    run = job.judged[0].judgement.case.run
    assert (run.collective, run.hosts, run.wrong_total, run.concluded) == (
        "all_reduce", ["q-st-cpu-1", "q-st-cpu-2"], 0, True,
    )  # fmt: skip
    assert [row.size_bytes for row in run.rows] == [2**power for power in range(3, 27)]
    assert run.devices[0].name.startswith("CPU, gloo of torch ")
    command = [sys.executable, "-m", "trainyard", "bench", "report", "results", "-o", "report.html"]
    made = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (made.returncode, "64 MiB" in made.stdout) == (0, True)
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.goto((tmp_path / "report.html").as_uri())
        drawn = page.locator("#bandwidth svg.plot:not(.narrow)").all()
        assert len(drawn) == 2
        assert all((one.bounding_box() or {"width": 0})["width"] > 800 for one in drawn)


def test_gpus_that_are_not_there_are_told_with_what_the_nodes_said(cluster: JobCluster, tmp_path: Path):
    submission_result = submit(cluster, tmp_path / "results", JobSelection(backend="nccl", python=torch_python()))
    check, sweep = submission_result.jobs
    assert (check.outcome.state, sweep.outcome.state, submission_result.good) == ("FAILED", "FAILED", False)
    assert check.gpus is not None
    assert check.gpus.findings[0].message == "0 of 2 GPUs have shown anything: torch finds no GPU on this node"
    (judged,) = sweep.judged
    assert "finds no GPU on this node" in judged.judgement.findings[0].message


def test_a_call_that_is_killed_is_continued_by_the_next_one(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    hold(slurm)
    command = [sys.executable, "-m", "trainyard", "bench", "submit", "--local", "cluster.yaml", "--backend", "tcp"]
    first = subprocess.Popen([*command, "--results", "results"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert first.stderr is not None
    while "pending" not in first.stderr.readline():
        pass
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stderr.close()
    (number,) = jobs_of(slurm, tmp_path / "results")
    release(slurm)
    again = subprocess.run(
        [*command, "--results", "results", "--json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (again.returncode, jobs_of(slurm, tmp_path / "results")) == (0, [number])
    (job,) = json.loads(again.stdout)["jobs"]
    assert (job["slurm_job"], job["state"], len(job["runs"][0]["rows"])) == (number, "COMPLETED", 16)


def test_ctrl_c_leaves_the_jobs_and_says_how_to_go_on(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    hold(slurm)
    command = [sys.executable, "-m", "trainyard", "bench", "submit", "--local", "cluster.yaml", "--backend", "tcp"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        while "pending" not in running.stderr.readline():
            pass
        running.send_signal(signal.SIGINT)
        said = running.stderr.read()
    assert (running.returncode, "repeat the command to follow them, or take them back with --cancel" in said) == (
        130,
        True,
    )
    results = tmp_path / "bench-results" / "lab"
    (number,) = jobs_of(slurm, results)
    assert slurm.job(number) == "PENDING"
    assert cancel_jobs(cluster, results=results) == ["sweep-tcp-2n"]
    wait_until(lambda: slurm.job(number) == "CANCELLED")
    release(slurm)


def test_a_job_that_was_submitted_and_not_remembered_is_not_submitted_twice(
    cluster: JobCluster, slurm: Slurm, tmp_path: Path
):
    results = tmp_path / "results"
    submit(cluster, results, wait=False)
    content = json.loads((results / "submission.json").read_text())
    content["jobs"] = {}
    (results / "submission.json").write_text(json.dumps(content))
    told: list[str] = []
    submission_result = submit(cluster, results, tell=told.append)
    assert submission_result.good
    assert told[0].startswith("sweep-tcp-2n: submitted before as job ")
    assert len(jobs_of(slurm, results)) == 1


def test_a_job_that_somebody_cancels_is_told_and_runs_again_when_asked_again(
    cluster: JobCluster, slurm: Slurm, tmp_path: Path
):
    results = tmp_path / "results"
    hold(slurm)
    submit(cluster, results, wait=False)
    (number,) = jobs_of(slurm, results)
    slurm.run("scancel", number)
    wait_until(lambda: slurm.job(number) == "CANCELLED")
    found = submit(cluster, results)
    assert (found.good, found.jobs[0].outcome.state, found.jobs[0].outcome.number) == (False, "CANCELLED", number)
    release(slurm)
    again = submit(cluster, results)
    assert (again.good, again.jobs[0].outcome.number != number) == (True, True)
    assert [job.outcome.number for job in submit(cluster, results).jobs] == [again.jobs[0].outcome.number]


def test_a_job_that_fails_is_told_with_its_output_and_put_away_when_it_runs_again(cluster: JobCluster, tmp_path: Path):
    results = tmp_path / "results"
    jobs = JobSelection(backend="tcp", python="no-such-python")
    (job,) = submit(cluster, results, jobs).jobs
    assert (job.good, job.outcome.state, job.outcome.reason) == (False, "FAILED", "NonZeroExitCode")
    assert job.outcome.file is not None
    assert "there is no no-such-python on this node" in job.outcome.file.read_text()
    (judged,) = job.judged
    assert [finding.id for finding in judged.judgement.findings] == ["bench-no-rows"]
    assert submit(cluster, results).good
    assert sorted(path.suffix for path in results.glob("sweep-tcp-2n_*")) == [".gz", ".out"]


def test_a_planned_job_runs_and_is_judged_as_that_of_its_instance_type(
    cluster: JobCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "stub").mkdir()
    monkeypatch.setenv("TRAINYARD_SYSROOT", str(nodes_with_tests(tmp_path / "root")))
    monkeypatch.setenv("STUB", str(tmp_path / "stub"))
    (job,) = submit(cluster, tmp_path / "results", JobSelection(ids=("q-p2-all_reduce-2n",))).jobs
    assert job.outcome.state == "COMPLETED"
    (judged,) = job.judged
    case = judged.judgement.case
    assert (case.run.collective, len(case.run.rows), case.nodes) == ("all_reduce", 2, 2)
    assert case.machine is not None
    assert case.machine.name == "g5.xlarge"
    assert not job.good  # nothing is known of its network, and what is not known to be healthy is not called so


def test_a_planned_job_whose_program_is_not_there_fails_and_says_so(cluster: JobCluster, tmp_path: Path):
    submission_result = submit(
        cluster, tmp_path / "results", JobSelection(phases=(2,), ids=("q-p2-all_reduce-2n", "q-p2-alltoall"))
    )
    assert [job.outcome.state for job in submission_result.jobs] == ["FAILED", "FAILED"]
    assert not submission_result.good
    for job in submission_result.jobs:
        assert job.outcome.file is not None
        assert f"has no {job.outcome.job.id.split('-')[2]}_perf in" in job.outcome.file.read_text()


def test_a_node_that_dies_under_a_job_is_told(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    results = tmp_path / "results"
    slow = tmp_path / "slow-python"
    slow.write_text("#!/bin/sh\nsleep 600\n")
    slow.chmod(0o755)
    submit(cluster, results, JobSelection(backend="tcp", python=str(slow)), wait=False)
    (number,) = jobs_of(slurm, results)
    wait_until(lambda: slurm.job(number) == "RUNNING")
    slurm.run("scontrol", "update", f"nodename={slurm.nodes[1]}", "state=down", "reason=test")
    (job,) = submit(cluster, results, JobSelection(backend="tcp", python=str(slow))).jobs
    assert (job.good, job.outcome.state) == (False, "NODE_FAIL")
    # It comes back by itself: ReturnToService=2.
    wait_until(lambda: {slurm.node(name) for name in slurm.nodes} == {"idle"})


def test_a_queue_that_is_down_is_one_clear_error(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    slurm.run("scontrol", "update", "PartitionName=q", "State=DOWN")
    try:
        with pytest.raises(TrainyardError, match="does not start: its queue is down"):
            submit(cluster, tmp_path / "results")
        assert cancel_jobs(cluster, results=tmp_path / "results") == ["sweep-tcp-2n"]
    finally:
        slurm.run("scontrol", "update", "PartitionName=q", "State=UP")


def test_following_ends_when_the_time_is_over_and_leaves_the_job(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    hold(slurm)
    with pytest.raises(TrainyardError, match="sweep-tcp-2n not ended after 0 min"):
        submit(cluster, tmp_path / "results", within_s=0.1)
    (number,) = jobs_of(slurm, tmp_path / "results")
    assert slurm.job(number) == "PENDING"
    cancel_jobs(cluster, results=tmp_path / "results")
    release(slurm)


def test_a_job_that_asks_for_what_no_node_has_is_refused_in_slurms_words(cluster: JobCluster, tmp_path: Path):
    (tmp_path / "large.yaml").write_text(SPEC.replace("g5.xlarge", "p5.48xlarge"))
    large = local_cluster(str(tmp_path / "large.yaml"))
    for _ in range(2):  # Slurm shows what it has refused, which is not taken for a job
        with pytest.raises(TrainyardError, match=r"Slurm refuses gpu-check: .*node configuration") as refused:
            submit(large, tmp_path / "results", JobSelection(backend="nccl"))
        assert "sinfo" in str(refused.value.hint)


def test_a_job_that_wants_more_nodes_than_there_are_is_told_and_can_be_taken_back(cluster: JobCluster, tmp_path: Path):
    (tmp_path / "wide.yaml").write_text(SPEC.replace("nodes: 2", "nodes: 3"))
    wide = local_cluster(str(tmp_path / "wide.yaml"))
    with pytest.raises(TrainyardError, match=r"sweep-tcp-3n .* wants more nodes than its queue allows"):
        submit(wide, tmp_path / "results", JobSelection(backend="tcp", ids=("sweep-tcp-3n",)))
    assert cancel_jobs(wide, results=tmp_path / "results") == ["sweep-tcp-3n"]


def test_by_ssh_the_same_comes_back(cluster: JobCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in programs(tmp_path / "bin").items():
        monkeypatch.setenv(name, value)
    submission_result = submit(JobCluster(cluster.spec, OnSlurm(SshSlurm("head"))), tmp_path / "results")
    assert submission_result.good
    assert len(submission_result.jobs[0].judged[0].judgement.case.run.rows) == 16
    there = list((tmp_path / "bin" / "home" / "trainyard-bench").glob("*/*"))
    assert not [path for path in there if path.suffix == ".gz"]
    asked = (tmp_path / "bin" / "log").read_text()
    assert "-T -o BatchMode=yes" in asked
    assert "sweep" not in asked  # what is asked travels as base64


def test_by_systems_manager_the_same_comes_back_as_the_user_of_the_cluster(
    cluster: JobCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, value in programs(tmp_path / "bin").items():
        monkeypatch.setenv(name, value)
    agent = Agent()
    with systems_manager(agent) as address:
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        head = SsmSlurm(Account("us-east-2", endpoint=address, credentials=keys), agent.instance)
        submission_result = submit(JobCluster(cluster.spec, OnSlurm(head)), tmp_path / "results")
    assert submission_result.good
    assert len(submission_result.jobs[0].judged[0].judgement.case.run.rows) == 16
    assert "sudo -n -H -u ubuntu -- bash -l" in (tmp_path / "bin" / "log").read_text()


def test_two_calls_do_not_work_with_one_folder(cluster: JobCluster, slurm: Slurm, tmp_path: Path):
    hold(slurm)
    command = [sys.executable, "-m", "trainyard", "bench", "submit", "--local", "cluster.yaml", "--backend", "tcp"]
    with subprocess.Popen([*command, "--results", "results"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as first:
        assert first.stderr is not None
        while "pending" not in first.stderr.readline():
            pass
        with pytest.raises(TrainyardError, match="another call works with this folder"):
            submit(cluster, tmp_path / "results")
        first.send_signal(signal.SIGINT)
        first.stderr.read()
    cancel_jobs(cluster, results=tmp_path / "results")
    release(slurm)
