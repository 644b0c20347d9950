"""The gate that keeps jobs off nodes whose deferred steps are not done."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "75-job-gate"
PROLOGS = "opt/slurm/etc/scripts/prolog.d"
GATE = f"{PROLOGS}/50_trainyard_job_gate"
EPILOGS = "opt/slurm/etc/scripts/epilog.d"
EPILOG = f"{EPILOGS}/50_trainyard_health"
RECORD = "var/lib/trainyard/bootstrap.json"


@pytest.fixture
def head(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path, role="head", queue="")
    for folder in (PROLOGS, EPILOGS):
        (node.root / folder).mkdir(parents=True)
    return node


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path)


def record(node: FakeNode, status: str) -> None:
    steps = [{"name": "efa", "status": "done"}, {"name": "images", "status": "running"}]
    node.write(RECORD, json.dumps({"schema": 1, "steps": steps, "status": status}))


def gate(node: FakeNode, **variables: str) -> subprocess.CompletedProcess[str]:
    return run_script(node, "job-gate.sh", **variables)


def pauses(node: FakeNode) -> int:
    return sum(int(call[1]) for call in node.calls("sleep"))


def test_slurm_finds_the_gate_and_may_run_it(head: FakeNode):
    runs_well(head, STEP)
    assert os.access(head.root / GATE, os.X_OK)
    assert os.access(head.root / EPILOG, os.X_OK)


def test_a_second_run_changes_nothing(head: FakeNode):
    runs_well(head, STEP)
    changes_nothing(head, STEP)


def test_parallelclusters_own_check_still_runs_first(head: FakeNode):
    theirs = head.write(f"{PROLOGS}/90_pcluster_health_check_manager", mode=0o755)
    runs_well(head, STEP)
    in_slurms_order = sorted((file.name for file in (head.root / PROLOGS).iterdir()), reverse=True)
    assert in_slurms_order == [theirs.name, "50_trainyard_job_gate"]


def test_nothing_else_is_left_where_slurm_would_run_it(head: FakeNode):
    complaint(head.run(STEP, disk_full=True), 73)
    assert list((head.root / PROLOGS).glob("*")) == []


@pytest.mark.parametrize("folder", [PROLOGS, EPILOGS])
def test_an_image_without_a_folder_is_told(head: FakeNode, folder: str):
    (head.root / folder).rmdir()
    assert "ParallelCluster has it since 3.6.0" in complaint(head.run(STEP), 1)


def test_a_node_that_is_done_takes_jobs_at_once(node: FakeNode):
    record(node, "ready")
    assert gate(node, SLURM_JOB_UID="1000").returncode == 0
    assert pauses(node) == 0


def test_a_held_node_takes_the_jobs_of_root(node: FakeNode):
    record(node, "held")
    assert gate(node, SLURM_JOB_UID="0").returncode == 0
    assert pauses(node) == 0


@pytest.mark.parametrize("job", [{"SLURM_JOB_UID": "1000"}, {"SLURM_JOB_UID": ""}, {}])
def test_a_held_node_turns_the_jobs_of_others_away(node: FakeNode, job: dict[str, str]):
    record(node, "held")
    assert "lacks something that is required, so it takes only root's jobs" in complaint(gate(node, **job), 1)
    assert pauses(node) == 0


def test_a_node_that_trainyard_does_not_install_takes_jobs(node: FakeNode):
    assert gate(node).returncode == 0


def test_the_mark_of_a_ready_node_is_enough(node: FakeNode):
    record(node, "deferred")
    node.write("run/trainyard/ready")
    assert gate(node).returncode == 0


def test_jobs_wait_until_deferred_steps_are_done(node: FakeNode):
    record(node, "deferred")
    node.program("sleep", f'[[ $(grep -c "^sleep" "$STUB/calls") -lt 5 ]] || mkdir -p {node.root}/run/trainyard\n'
                          f'[[ ! -d {node.root}/run/trainyard ]] || touch {node.root}/run/trainyard/ready')  # fmt: skip
    assert gate(node).returncode == 0
    assert [call[1] for call in node.calls("sleep")] == ["2"] * 5


@pytest.mark.parametrize("status", ["deferred", "running"])
def test_the_wait_ends_before_slurm_takes_the_job_for_lost(node: FakeNode, status: str):
    record(node, status)
    ran = gate(node, TRAINYARD_GATE_PAUSE_S="30")
    assert f"is {status} after 150 seconds" in complaint(ran, 1)
    assert pauses(node) == 150


def test_a_damaged_record_is_no_ready_node(node: FakeNode):
    node.write(RECORD, '{"status": "rea')
    assert "is unknown after" in complaint(gate(node, TRAINYARD_GATE_PAUSE_S="50"), 1)


def test_a_failed_node_turns_jobs_away_at_once(node: FakeNode):
    record(node, "failed")
    assert "failed, so it takes no jobs" in complaint(gate(node), 1)
    assert pauses(node) == 0
    assert "job gate" in " ".join(node.calls("logger")[0])


@pytest.mark.parametrize(("set_s", "waited_s"), [("300", 270), ("40", 20)])
def test_who_raises_the_timeout_of_slurm_lengthens_the_wait(node: FakeNode, set_s: str, waited_s: int):
    node.write("opt/slurm/etc/slurm.conf", "ClusterName=llm\nBatchStartTimeout=180\n")
    node.write("opt/slurm/etc/pcluster/custom_slurm_settings_include_file_slurm.conf", f"batchstarttimeout = {set_s}\n")
    record(node, "deferred")
    complaint(gate(node, TRAINYARD_GATE_PAUSE_S="10"), 1)
    assert pauses(node) == waited_s


def test_it_needs_no_search_path(node: FakeNode):
    record(node, "ready")
    assert run_script(node, "job-gate.sh", PATH="").returncode == 0


def checked(tmp_path: Path, body: str, checks: str = "1") -> FakeNode:
    """Return a ready node whose trainyard-node, which keeps how it was called, answers with a shell text."""
    node = FakeNode(tmp_path, health_checks=checks)
    record(node, "ready")
    node.write("usr/local/bin/trainyard-node", f'#!/bin/bash\necho "$@" >>{tmp_path}/health\n{body}\n', 0o755)
    return node


SICK = 'echo "trainyard: gpu-count: 7 of 8 GPUs"; exit 1'


def test_a_sick_node_turns_jobs_away_and_tells_why(tmp_path: Path):
    ran = gate(checked(tmp_path, SICK), SLURM_JOB_UID="1000")
    assert "trainyard: this node is sick, so it takes only root's jobs: gpu-count: 7 of 8 GPUs" in complaint(ran, 1)
    assert (tmp_path / "health").read_text() == "health --slurm --skip gpu-dcgm\n"


def test_only_a_verdict_turns_jobs_away(tmp_path: Path):
    bodies = {"well": "exit 0", "broken": "echo no module named x >&2; exit 1", "missing": "exec /nowhere"}
    for name, body in bodies.items():
        (tmp_path / name).mkdir()
        assert gate(checked(tmp_path / name, body), SLURM_JOB_UID="1000").returncode == 0, name


def test_nobody_looks_for_root_or_where_it_is_switched_off(tmp_path: Path):
    for name, checks, user in (("root", "1", "0"), ("off", "0", "1000")):
        (tmp_path / name).mkdir()
        assert gate(checked(tmp_path / name, SICK, checks), SLURM_JOB_UID=user).returncode == 0
        assert not (tmp_path / name / "health").exists()


def test_after_a_job_systemd_looks_at_the_node_and_the_epilog_never_fails(tmp_path: Path):
    node = checked(tmp_path, SICK)
    node.program("systemd-run")
    assert run_script(node, "job-epilog.sh").returncode == 0
    (call,) = node.calls("systemd-run")
    assert {"--no-block", "--collect", "--unit=trainyard-health"} < set(call)
    assert call[-1] == f"{node.root}/opt/trainyard/current/health/slurm-health-check.sh"
    node.fail("systemd-run", "Unit trainyard-health.service was already loaded")
    assert run_script(node, "job-epilog.sh").returncode == 0


def test_after_a_job_nobody_looks_where_it_is_switched_off(tmp_path: Path):
    node = checked(tmp_path, SICK, checks="0")
    node.program("systemd-run")
    assert run_script(node, "job-epilog.sh").returncode == 0
    assert node.calls("systemd-run") == []
