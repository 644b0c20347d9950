"""The job that tests GPUs with DCGM, and what it makes of what DCGM says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.steps.scripts import run_script
from tests.bootstrap.steps.stubs import FakeNode, complaint
from trainyard.bootstrap.steps import ASSETS

JOB, TEST = "health/dcgm-level-2.sbatch", "health/dcgm-level-2.sh"
# As in https://github.com/NVIDIA/DCGM/issues/253, shortened.
DCGM_4 = """\
Successfully ran diagnostic for group.
+---------------------------+------------------------------------------------+
| Diagnostic                | Result                                         |
+===========================+================================================+
|-----  Metadata  ----------+------------------------------------------------|
| DCGM Version              | 4.2.3                                          |
|-----  Deployment  --------+------------------------------------------------|
| software                  | Pass                                           |
|                           | GPU0: Pass                                     |
+-----  Hardware  ----------+------------------------------------------------+
| memory                    | {}                                           |
|                           | GPU0: Pass                                     |
|                           | GPU1: {}                                     |
+---------------------------+------------------------------------------------+
"""
# As in https://github.com/NVIDIA/go-dcgm/issues/52, shortened.
DCGM_3 = """\
Successfully ran diagnostic for group.
+-----  Hardware  ----------+------------------------------------------------+
| GPU Memory                | Pass - GPU: 1                                  |
|                           | Fail - GPU: 0                                  |
| Warning                   | GPU 0 Error using CUDA API cuCtxCreate Check   |
|                           | Fail - GPU: 7 is only what this text says      |
+---------------------------+------------------------------------------------+
"""


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path)


def dcgm_says(node: FakeNode, said: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Test a node on which DCGM says something."""
    (node.stub / "said").write_text(said)
    node.program("dcgmi", f'cat "$STUB/said"; exit {status}')
    return run_script(node, TEST, SLURMD_NODENAME="train-st-gpu-1")


def test_a_node_whose_tests_do_well_passes(node: FakeNode):
    ran = dcgm_says(node, DCGM_4.format("Pass", "Pass"))
    assert (ran.returncode, ran.stdout) == (0, "train-st-gpu-1: passed\n")
    assert node.calls("dcgmi") == [["dcgmi", "diag", "-r", "2"]]
    assert "| memory " in ran.stderr


def test_a_test_that_failed_is_named_with_its_gpu(node: FakeNode):
    ran = dcgm_says(node, DCGM_4.format("Fail", "Fail"), 226)
    assert (ran.returncode, ran.stdout) == (1, "train-st-gpu-1: failed: memory (Fail), memory (GPU1: Fail)\n")


def test_the_form_of_dcgm_3_is_read_without_the_texts_below_a_test(node: FakeNode):
    ran = dcgm_says(node, DCGM_3, 226)
    assert (ran.returncode, ran.stdout) == (1, "train-st-gpu-1: failed: GPU Memory (Fail - GPU: 0)\n")


def test_a_failure_counts_although_dcgmi_ends_well(node: FakeNode):
    assert dcgm_says(node, DCGM_4.format("Fail", "Fail")).returncode == 1


def test_a_gpu_that_has_to_be_taken_out_of_use_is_said_to_be_one(node: FakeNode):
    ran = dcgm_says(node, DCGM_4.format("Fail", "Fail"), 205)
    assert ran.returncode == 1
    assert "take the GPU out of use" in ran.stdout


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ("", 217, "another diagnostic runs already"),
        ("", 204, "the nvvs program is missing"),
        ("", 124, "took longer than 1500 seconds"),
        ("Error: unable to connect to localhost:5555\n", 1, "unable to connect to localhost:5555"),
        ("Error: nvvs ended early\n", 226, "nvvs ended early"),
        ("", 0, "no test passed: it said nothing"),
    ],
)
def test_what_could_not_run_says_nothing_about_the_gpus(node: FakeNode, said: str, status: int, reason: str):
    ran = dcgm_says(node, said, status)
    assert ran.returncode == 2
    assert ran.stdout.startswith("train-st-gpu-1: not tested: ")
    assert reason in ran.stdout
    assert ran.stdout.count("\n") == 1


def test_a_node_without_dcgm_is_not_tested(node: FakeNode):
    ran = run_script(node, TEST, SLURMD_NODENAME="train-st-gpu-1")
    assert (ran.returncode, "dcgmi is missing" in ran.stdout) == (2, True)


def test_a_dcgmi_that_hangs_is_ended(node: FakeNode):
    node.program("dcgmi", "exec /bin/sleep 60")
    ran = run_script(node, TEST, SLURMD_NODENAME="train-st-gpu-1", TRAINYARD_DCGM_LIMIT_S="0.2")
    assert (ran.returncode, "took longer than 0.2 seconds" in ran.stdout) == (2, True)


@pytest.fixture
def job(node: FakeNode) -> FakeNode:
    node.program("srun", '[[ -e $STUB/lines ]] || { echo "srun: error" >&2; exit 1; }\ncat "$STUB/lines"; exit 1')
    return node


def run_job(job: FakeNode, *lines: str) -> subprocess.CompletedProcess[str]:
    """Run the job on two nodes, which say these lines."""
    (job.stub / "lines").write_text("".join(f"{line}\n" for line in lines))
    return run_script(job, JOB, SLURM_JOB_NUM_NODES="2")


def test_the_job_passes_when_every_node_does(job: FakeNode):
    ran = run_job(job, "gpu-1: passed", "gpu-2: passed")
    assert ran.returncode == 0
    assert ran.stdout == "gpu-1: passed\ngpu-2: passed\npassed: 2 nodes\n"
    assert job.calls("srun") == [["srun", "--kill-on-bad-exit=0", "bash", f"{job.root}/opt/trainyard/current/{TEST}"]]


def test_the_job_fails_with_the_reasons_of_all_nodes_and_what_to_do(job: FakeNode):
    ran = run_job(job, "gpu-1: failed: memory (GPU1: Fail)", "gpu-2: not tested: dcgmi is missing")
    assert ran.returncode == 1
    verdict, remedy = ran.stderr.splitlines()
    assert verdict == (
        "failed: 0 of 2 nodes passed: gpu-1: failed: memory (GPU1: Fail); gpu-2: not tested: dcgmi is missing"
    )
    assert remedy.startswith("replace the nodes that failed")


def test_nodes_that_were_not_tested_are_not_to_be_replaced(job: FakeNode):
    said = complaint(run_job(job, "gpu-1: passed", "gpu-2: not tested: dcgmi is missing"), 1)
    assert said == "failed: 1 of 2 nodes passed: gpu-2: not tested: dcgmi is missing"


def test_a_node_that_says_nothing_has_not_passed(job: FakeNode):
    said = complaint(run_job(job, "gpu-1: passed"), 1)
    assert said.startswith("failed: 1 of 2 nodes passed")


def test_a_job_that_srun_cannot_start_fails(job: FakeNode):
    said = complaint(run_script(job, JOB, SLURM_JOB_NUM_NODES="2"), 1)
    assert said.startswith("failed: 0 of 2 nodes passed: srun could not run the test")


def test_the_job_asks_slurm_for_whole_nodes_and_enough_time():
    lines = (ASSETS / JOB).read_text().splitlines()
    asked = [line.split()[1] for line in lines if line.startswith("#SBATCH ")]
    assert all(re.fullmatch(r"--[a-z-]+(=\S+)?", one) for one in asked)
    assert {"--exclusive", "--mem=0", "--time=00:30:00", "--nodes=1", "--ntasks-per-node=1"} <= set(asked)
