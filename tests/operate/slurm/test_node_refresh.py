"""Nodes with an older release start anew, and no job ends for it: decided by what Slurm says, and by a real one."""

from __future__ import annotations

import gzip
import os
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, free_ports, real_slurm
from tests.waiting import wait_until
from trainyard.edge.remote_command import CommandResult
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.operate.slurm.node_refresh import NodeRefresh, refresh_nodes

OLD, NEW = "a" * 64, "b" * 64


@dataclass
class Head:
    """A head node that lists nodes in these states, and takes commands."""

    states: dict[str, str]
    updates: list[str] = field(default_factory=list)

    def run(self, arguments: tuple[str, ...], content: bytes = b"") -> CommandResult:
        if content:
            lines = "".join(f"gpu|{name}|{state}|10.0.0.{name}|none\n" for name, state in self.states.items())
            listing = f"== nodes\n{lines}== counts\n== jobs\n== names\n"
            return CommandResult(0, gzip.compress(listing.encode()), "")
        self.updates.append(" ".join(arguments[4:]))
        return CommandResult(0, b"", "")


def test_idle_nodes_with_an_older_release_start_anew_and_others_are_left_and_named():
    told_states = ("idle", "idle", "mixed", "reserved", "draining", "idle~", "idle", "idle")
    states = {str(number): state for number, state in enumerate(told_states, start=1)}
    releases = {f"10.0.0.{name}": OLD for name in states} | {"10.0.0.2": NEW, "10.0.0.7": None}
    del releases["10.0.0.8"]  # of another cluster
    head = Head(states)
    told = refresh_nodes(head, releases, NEW, queue=None, after_jobs=False)
    assert told == NodeRefresh(NEW, ("1",), ("3",), ("4", "5"), ("7",), 1)
    assert head.updates == ["scontrol update NodeName=1 State=POWER_DOWN_ASAP Reason=trainyard: a new release"]
    assert refresh_nodes(Head(states), releases, NEW, queue=None, after_jobs=True).started_anew == ("1", "3")
    assert refresh_nodes(Head(states), releases, NEW, queue="cpu", after_jobs=True) == NodeRefresh(NEW)


# As on AWS, where static nodes are excepted from power saving by their names.
POWER_SAVING = """\
SlurmctldParameters=idle_on_node_suspend,power_save_interval=1,power_save_min_interval=1
SuspendProgram={place}/suspend
ResumeProgram={place}/suspend
SuspendExcNodes=q-st-cpu-[1-2]
SuspendTime=600
SuspendTimeout=5
NodeName=q-dy-cpu-1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=500
"""


@pytest.fixture(params=["22.05", "24.11"])
def power_saving(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Slurm]:
    programs: Path = tmp_path_factory.mktemp("programs")
    if request.param == "24.11":
        write_programs(programs)
        monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    place = programs / "suspend"
    place.write_text("#!/bin/sh\n")
    place.chmod(0o755)
    host, (port,) = socket.gethostname().split(".")[0], free_ports(1)
    with real_slurm(2, more=POWER_SAVING.format(place=programs, host=host, port=port)) as slurm:
        monkeypatch.setenv("SLURM_CONF", slurm.variables["SLURM_CONF"])
        yield slurm


@pytest.mark.integration
@pytest.mark.enable_socket
@pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root")
def test_a_static_node_is_powered_down_when_its_job_is_over_and_gets_no_other(power_saving: Slurm):
    slurm = power_saving
    busy, idle = slurm.nodes
    addresses = {"127.0.0.1": OLD}  # of all nodes of this machine
    job = slurm.submit("sleep 600", f"--nodelist={busy}")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    assert refresh_nodes(LocalSlurm(), addresses, NEW, queue="q", after_jobs=False).busy == (busy,)
    wait_until(lambda: slurm.node(idle)[-1] in "~%!")
    assert refresh_nodes(LocalSlurm(), addresses, NEW, queue="q", after_jobs=True).started_anew == (busy,)
    waiting = slurm.submit("true", f"--nodelist={busy}")
    assert (slurm.job(job), slurm.node(busy)[:8]) == ("RUNNING", "draining")
    slurm.run("scancel", job)
    wait_until(lambda: slurm.node(busy)[-1] in "~%")
    assert slurm.job(job) in ("CANCELLED", "COMPLETING")
    assert not slurm.node(busy).startswith("drain")  # or clustermgtd's next instance would get no job
    slurm.run("scancel", waiting)
