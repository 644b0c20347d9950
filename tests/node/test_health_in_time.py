"""The verdict does not wait for what hangs: the whole command, with programs that do not end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import trainyard_node
from tests.node.health.node import Node
from tests.node.machine import pythons
from trainyard_node.health.efa_provider import PROGRAM

pytestmark = pytest.mark.integration
SOURCE = str(Path(trainyard_node.__file__).parent.parent)
COMMAND = """\
import argparse, os, sys
sys.path.insert(0, sys.argv.pop(1))
from trainyard_node.clock import RealClock
from trainyard_node.health_command import add_arguments, run
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses
from trainyard_node.machine import World
parser = argparse.ArgumentParser()
add_arguments(parser)
sys.exit(run(parser.parse_args(), World(Places(os.environ["TRAINYARD_SYSROOT"]), RealClock(), RealProcesses())))
"""
# It is asked to end, in vain.
STUCK_S, SOONER_S = 120, 100
STUCK = f"#!/bin/sh\ntrap '' TERM\nexec sleep {STUCK_S}\n"


@pytest.fixture
def node(tmp_path: Path) -> Node:
    made = Node(tmp_path)
    made.settings(GPUS="0", EFA_INTERFACES="1", SETUP="cpu")
    made.infiniband("rdmap0s6")
    made.mounts("10.0.0.7@tcp:/fsx /fsx lustre rw 0 0")
    return made


def check(node: Node, *words: str, python: Path = Path(sys.executable)) -> subprocess.CompletedProcess[str]:
    path = f"{node.places.at('/bin')}:/usr/bin:/bin"
    return subprocess.run(
        [str(python), "-c", COMMAND, SOURCE, *words],
        env={**os.environ, "PATH": path, "TRAINYARD_SYSROOT": str(node.root)},
        capture_output=True, text=True, check=False, timeout=SOONER_S,
    )  # fmt: skip


def program(node: Node, path: str, text: str) -> None:
    node.write(path, text).chmod(0o755)


def test_programs_that_hang_neither_delay_the_verdict_nor_hide_what_was_found(node: Node):
    for path in ("/bin/stat", "/bin/chronyc", "/bin/timedatectl", PROGRAM):
        program(node, path, STUCK)
    ran = check(node, "--json")
    found = {outcome["check"]: outcome["status"] for outcome in json.loads(ran.stdout)["outcomes"]}
    assert ran.returncode == 0
    # On a busy machine, the deadline of all checks comes before that of this one.
    assert found["shared-mounted"] in ("warning", "unknown")
    assert (found["clock-in-sync"], found["efa-provider"]) == ("unknown", "unknown")
    assert found["efa-count"] == "ok"


@pytest.mark.parametrize("python", pythons(), ids=lambda python: python.parent.parent.name)
def test_every_python_of_nodes_runs_all_checks(node: Node, python: Path):
    node.places.at("/fsx").mkdir()
    program(node, PROGRAM, "#!/bin/sh\necho 'provider: efa'\necho '    domain: rdmap0s6-rdm'\n")
    ran = check(node, python=python)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "ok       efa-provider     libfabric offers all 1 EFA interfaces" in ran.stdout.splitlines()
    assert "the check failed" not in ran.stdout
