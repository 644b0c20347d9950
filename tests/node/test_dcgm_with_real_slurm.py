"""The job that tests GPUs, run by a real Slurm, with a stand-in for DCGM."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm import Slurm, real_slurm
from trainyard.bootstrap.steps import ASSETS

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
DCGMI = """\
#!/bin/sh
if [ -e "{root}/sick-$SLURMD_NODENAME" ]; then
  echo "| memory                    | Fail                                           |"
  exit 226
fi
echo "| memory                    | Pass                                           |"
"""


@pytest.fixture(scope="module")
def slurm() -> Iterator[Slurm]:
    with real_slurm() as made:
        yield made


def run_job(slurm: Slurm, root: Path) -> tuple[int, str]:
    """Run the job on both nodes, and return its status and what it wrote."""
    current = root / "opt/trainyard/current"
    shutil.copytree(ASSETS / "health", current / "health", dirs_exist_ok=True)
    program = root / "bin/dcgmi"
    program.parent.mkdir(exist_ok=True)
    program.write_text(DCGMI.format(root=root))
    program.chmod(0o755)
    variables = {**slurm.variables, "TRAINYARD_SYSROOT": str(root), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    said = root / "said"
    done = subprocess.run(
        ["sbatch", "--wait", "--nodes=2", f"--output={said}", "--chdir=/", current / "health/dcgm-level-2.sbatch"],
        env={**os.environ, **variables}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    return done.returncode, said.read_text()


def test_idle_nodes_are_tested_all_at_once(slurm: Slurm, tmp_path: Path):
    status, said = run_job(slurm, tmp_path)
    lines = said.splitlines()
    assert (status, lines[-1]) == (0, "passed: 2 nodes"), said
    assert {f"{name}: passed" for name in slurm.nodes} <= set(lines)


def test_a_sick_node_fails_the_job_and_the_others_are_tested_all_the_same(slurm: Slurm, tmp_path: Path):
    sick, well = slurm.nodes
    (tmp_path / f"sick-{sick}").touch()
    status, said = run_job(slurm, tmp_path)
    assert status == 1
    assert f"{well}: passed" in said.splitlines()
    assert f"failed: 1 of 2 nodes passed: {sick}: failed: memory (Fail)" in said.splitlines()
