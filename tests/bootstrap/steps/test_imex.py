"""The prolog that joins the nodes of a job to one IMEX domain."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well
from trainyard.bootstrap.steps import ASSETS

STEP = "76-imex"
PROLOGS = "opt/slurm/etc/scripts/prolog.d"
NODES = "etc/nvidia-imex/nodes_config.cfg"
SHOWN = """\
NodeName=train-st-train-1 Arch=aarch64 NodeAddr=10.0.1.11 NodeHostName=train-st-train-1 Version=24.11
NodeName=train-st-train-2 Arch=aarch64 NodeAddr=10.0.1.12 NodeHostName=train-st-train-2 Version=24.11
"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    made = FakeNode(tmp_path, instance_type="p6e-gb200.36xlarge")
    made.write("proc/devices", "Character devices:\n  1 mem\n235 nvidia-caps-imex-channels\n")
    made.write("etc/systemd/system/nvidia-imex.service")
    (made.stub / "units").mkdir(exist_ok=True)
    (made.stub / "units/nvidia-imex.service.enabled").touch()
    made.write(NODES, "former\n")
    made.write("opt/slurm/bin/scontrol", f'#!/bin/sh\necho "$@" >"$STUB/asked"\ncat <<\'EOT\'\n{SHOWN}EOT\n', 0o755)
    made.program("mknod")
    return made


def prolog(node: FakeNode, **variables: str) -> subprocess.CompletedProcess[str]:
    job = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "train-st-train-[1-2]", "SLURM_JOB_OVERSUBSCRIBE": "NO"}
    ran = run_script(node, "imex-prolog.sh", **{**job, **variables})
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran


def verbs(node: FakeNode) -> list[str]:
    return [call[1] for call in node.calls("systemctl") if "is-enabled" not in call]


def said(node: FakeNode) -> str:
    return " ".join(" ".join(call) for call in node.calls("logger"))


def test_the_head_node_puts_it_before_all_other_prologs(tmp_path: Path):
    head = FakeNode(tmp_path, role="head", queue="")
    assert "ParallelCluster has it since 3.6.0" in complaint(head.run(STEP), 1)
    (head.root / PROLOGS).mkdir(parents=True)
    runs_well(head, STEP)
    assert (head.root / PROLOGS / "91_trainyard_imex").stat().st_mode & 0o777 == 0o755
    changes_nothing(head, STEP)


def test_a_job_with_whole_nodes_gets_a_domain_of_its_nodes(node: FakeNode):
    prolog(node)
    assert node.read(NODES) == "10.0.1.11\n10.0.1.12\n"
    assert verbs(node) == ["stop", "start"]
    assert "train-st-train-[1-2]" in (node.stub / "asked").read_text()
    (call,) = node.calls("mknod")
    assert call[1:] == [str(node.root / "dev/nvidia-caps-imex-channels/channel0"), "c", "235", "0"]


@pytest.mark.parametrize("shares", ["OK", "YES", ""])
def test_a_job_that_shares_nodes_leaves_the_domain_as_it_is(node: FakeNode, shares: str):
    prolog(node, SLURM_JOB_OVERSUBSCRIBE=shares)
    assert (node.read(NODES), verbs(node)) == ("former\n", [])
    assert "submit it with --exclusive" in said(node)


def test_nothing_is_run_from_the_folder_that_it_is_called_in(tmp_path: Path):
    planted = tmp_path / "sed"
    planted.write_text('#!/bin/sh\ntouch "$(/usr/bin/dirname "$0")/was-run"\n')
    planted.chmod(0o755)
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/devices").touch()
    script = ASSETS / "imex-prolog.sh"
    variables = {"PATH": "", "TRAINYARD_SYSROOT": str(tmp_path / "root")}
    ran = subprocess.run(["/bin/bash", script], cwd=tmp_path, env=variables, check=False, capture_output=True)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert not (tmp_path / "was-run").exists()


def test_nodes_without_channels_are_none_of_its_business(node: FakeNode):
    node.write("proc/devices", "Character devices:\n  1 mem\n")
    prolog(node)
    assert (node.read(NODES), node.calls("systemctl"), said(node)) == ("former\n", [], "")


def test_a_service_that_is_not_enabled_is_told(node: FakeNode):
    (node.stub / "units/nvidia-imex.service.enabled").unlink()
    prolog(node)
    assert verbs(node) == []
    assert "is not enabled" in said(node)


def test_addresses_that_slurm_does_not_say_leave_the_domain_as_it_is(node: FakeNode):
    node.write("opt/slurm/bin/scontrol", "#!/bin/sh\nexit 1\n", 0o755)
    prolog(node)
    assert (node.read(NODES), verbs(node)) == ("former\n", [])
    assert "does not say which addresses" in said(node)


def test_a_service_that_does_not_start_lets_the_job_run(node: FakeNode):
    (node.stub / "units/nvidia-imex.service.broken").touch()
    ran = run_script(node, "imex-prolog.sh", SLURM_JOB_ID="7", SLURM_JOB_NODELIST="x", SLURM_JOB_OVERSUBSCRIBE="NO")
    assert ran.returncode == 0
    assert "does not start" in said(node)
