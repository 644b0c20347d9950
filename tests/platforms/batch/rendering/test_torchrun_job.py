"""The torchrun job: what torchrun is told on the main node and on the others."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from trainyard.platforms.batch.rendering.queue_slots import program

pytestmark = pytest.mark.integration


def told(folder: Path, **more: str) -> list[str]:
    """Return the arguments that torchrun gets."""
    for name, text in {"torchrun": 'printf "%s\\n" "$@"', "hostname": "echo 10.1.0.7 169.254.172.2"}.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    environment = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "TRAINYARD_RANKS_PER_NODE": "8",
        "TRAINYARD_PROGRAM": "train.py",
    }
    done = subprocess.run(
        ["bash", "-c", program("assets/torchrun-job.sh", dense=True)],
        env={**environment, **more}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.splitlines()


def test_the_main_node_names_its_own_address(tmp_path: Path):
    arguments = told(tmp_path, AWS_BATCH_JOB_NUM_NODES="4", AWS_BATCH_JOB_NODE_INDEX="0")
    assert arguments[arguments.index("--master-addr") + 1] == "10.1.0.7"
    assert arguments[arguments.index("--nnodes") + 1] == "4"
    assert arguments[-1] == "train.py"


def test_another_node_names_that_of_the_main_node_and_its_own_number(tmp_path: Path):
    arguments = told(
        tmp_path,
        AWS_BATCH_JOB_NUM_NODES="4",
        AWS_BATCH_JOB_NODE_INDEX="3",
        AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS="10.1.0.9",
        TRAINYARD_ARGUMENTS="--epochs 2",
    )
    assert arguments[arguments.index("--master-addr") + 1] == "10.1.0.9"
    assert arguments[arguments.index("--node-rank") + 1] == "3"
    assert arguments[-3:] == ["train.py", "--epochs", "2"]
