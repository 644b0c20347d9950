"""A forked process of trainyard ends, speaks and is interrupted like one that was started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import program

SPEC = """\
name: llm
region: us-east-2
platform: parallelcluster
queues: [{name: q, instance_type: p5.48xlarge, nodes: 2}]
"""


@pytest.mark.parametrize(
    "arguments",
    [("--version",), ("check", "cluster.yaml"), ("check", "missing.yaml", "--json"), ("status",), ("no-command",)],
)
def test_it_says_what_a_started_one_says(tmp_path: Path, arguments: tuple[str, ...]):
    (tmp_path / "cluster.yaml").write_text(SPEC)
    command = [sys.executable, "-m", "trainyard", *arguments]
    started = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert program.run(*arguments, cwd=tmp_path) == (started.returncode, started.stdout, started.stderr)


def test_it_has_the_environment_it_is_given_and_leaves_that_of_others_alone(tmp_path: Path):
    nobody = {"AWS_PROFILE": "nobody", "AWS_CONFIG_FILE": os.devnull, "AWS_EC2_METADATA_DISABLED": "true"}
    ran = program.run("status", "llm", "--region", "us-east-2", "--json", variables=nobody)
    assert (ran.status, ran.err) == (1, "")
    assert "nobody" in json.loads(ran.out)["error"]["problem"]
    without = {**nobody, "AWS_PROFILE": None, "AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None}
    ran = program.run("status", "llm", "--region", "us-east-2", cwd=tmp_path, variables=without)
    assert "no AWS credentials" in ran.err


def test_it_reads_its_standard_input_until_a_signal_ends_it():
    read, write = os.pipe()
    process = program.started("check", "-", stdin=read)
    os.close(read)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    assert process.communicate() == ("", "")
    assert (process.returncode, process.poll()) == (-signal.SIGKILL, -signal.SIGKILL)
    os.close(write)
