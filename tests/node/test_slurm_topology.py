"""Blocks of nodes that share NVLink, in topology.yaml and a real Slurm as new as ParallelCluster's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.node.newer_slurm import SID_ROOT, write_programs
from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
BLOCKS = """\
- topology: ultraservers
  cluster_default: true
  block:
    block_sizes: [1]
    blocks:
      - {block: first, nodes: q-st-cpu-1}
      - {block: second, nodes: q-st-cpu-2}
"""
POWER_SAVING = "SuspendProgram=/bin/true\nResumeProgram=/bin/true\nSuspendTimeout=2\nResumeTimeout=600\n"


def blocks(slurm: Slurm) -> list[tuple[str, str]]:
    """Return each block and its nodes."""
    lines = [dict(part.split("=", 1) for part in line.split()) for line in _topology(slurm).splitlines()]
    return [(line["BlockName"], line["Nodes"]) for line in lines]


def _topology(slurm: Slurm) -> str:
    return slurm.run("scontrol", "show", "topology")


def test_nodes_stay_in_their_blocks_when_they_power_down(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    write_programs(tmp_path, SID_ROOT)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    both = [("first", "q-st-cpu-1"), ("second", "q-st-cpu-2")]
    with real_slurm(more=POWER_SAVING, topology=BLOCKS) as slurm:
        assert blocks(slurm) == both
        job = slurm.submit("true", "--exclusive=topo", "--nodes=1")
        wait_until(lambda: slurm.job(job) == "COMPLETED")
        # What 25.11.0 to 25.11.2 get wrong: version_conflicts.json has it.
        slurm.run("scontrol", "update", "nodename=q-st-cpu-2", "state=power_down")
        wait_until(lambda: "POWERED_DOWN" in slurm.run("scontrol", "show", "node", "q-st-cpu-2"))
        assert blocks(slurm) == both
