"""The job that shows whether containers run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import FakeNode, complaint
from trainyard.bootstrap.steps import ASSETS

PYXIS = "containers/pyxis-test.sbatch"
# Runs what it is asked on as many nodes as the test says.
SRUN = """\
if [[ $1 == --help ]]; then
  [[ -e $STUB/no-pyxis ]] || echo "--container-image=[USER@][REGISTRY#]IMAGE[:TAG]|PATH"
  exit 0
fi
[[ ! -e $STUB/broken ]] || { echo "pyxis: failed to import docker image" >&2; exit 1; }
for ((i = 1; i <= $(cat "$STUB/nodes"); i++)); do echo "train-st-gpu-$i runs Ubuntu 22.04.5 LTS"; done
"""


@pytest.fixture
def job(tmp_path: Path) -> FakeNode:
    node = FakeNode(tmp_path)
    node.program("srun", SRUN)
    (node.stub / "nodes").write_text("2")
    return node


def test_containers_that_run_on_every_node_pass(job: FakeNode):
    ran = run_script(job, PYXIS, SLURM_JOB_NUM_NODES="2")
    assert ran.returncode == 0
    assert ran.stdout.endswith("passed: 2 nodes ran ubuntu:22.04\n")


def test_another_image_can_be_tested(job: FakeNode):
    run_script(job, PYXIS, "/fsx/containers/x.sqsh", SLURM_JOB_NUM_NODES="2")
    assert job.calls("srun")[-1][1] == "--container-image=/fsx/containers/x.sqsh"


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("nodes", "1", "1 of 2 nodes ran the container"),
        ("broken", "", "srun cannot run ubuntu:22.04"),
        ("no-pyxis", "", "Pyxis is not loaded"),
    ],
)
def test_containers_that_do_not_run_fail(job: FakeNode, file: str, text: str, said: str):
    (job.stub / file).write_text(text)
    assert said in complaint(run_script(job, PYXIS, SLURM_JOB_NUM_NODES="2"), 1)


def test_a_long_help_of_srun_does_not_look_like_a_missing_pyxis(job: FakeNode):
    long = '[[ $1 != --help ]] || { echo "--container-image=IMAGE"; yes "  --other-option" | head -n 50000; exit; }\n'
    job.program("srun", long + SRUN)
    ran = run_script(job, PYXIS, SLURM_JOB_NUM_NODES="2")
    assert ran.returncode == 0, ran.stderr


def test_a_batch_script_tells_slurm_what_it_needs():
    for script in (PYXIS, "nccl/build-nccl.sbatch"):
        lines = (ASSETS / script).read_text().splitlines()
        assert lines[0] == "#!/usr/bin/env bash"
        asked = [line.split()[1] for line in lines if line.startswith("#SBATCH ")]
        assert all(re.fullmatch(r"--[a-z-]+(=\S+)?", one) for one in asked)
        assert {one.split("=")[0] for one in asked} >= {"--nodes", "--time", "--output", "--job-name"}
