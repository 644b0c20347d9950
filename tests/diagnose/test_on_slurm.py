"""What a real Slurm writes when something fails on purpose is diagnosed."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.slurm import Slurm, real_slurm
from tests.waiting import wait_until
from trainyard.api.diagnose import diagnose_files
from trainyard.diagnose.diagnosis import Diagnosis

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
LOSES_NODES_SOON = "SlurmdTimeout=3\nMessageTimeout=3\nTCPTimeout=1\n"
# Without cgroups, Slurm looks at the memory of processes itself: https://slurm.schedmd.com/slurm.conf.html
WATCHES_MEMORY = """\
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
"""
# What tail is to print in the end it has to keep until then.
TAKES_MEMORY = "head -c 300000000 /dev/zero | tail -c 300000000 | sleep 60"


def diagnosed(slurm: Slurm, folder: Path) -> Diagnosis:
    """Diagnose the logs of a cluster, which have the names of streams in CloudWatch."""
    logs = folder / "logs"
    logs.mkdir()
    shutil.copy(slurm.folder / "slurmctld.log", logs / "ip-10-0-0-5.i-0aaa.slurmctld")
    for number, name in enumerate(slurm.nodes):
        shutil.copy(slurm.folder / f"{name}.log", logs / f"ip-10-1-0-{number}.i-0bb{number}.slurmd")
    return diagnose_files(str(logs))


def ids(found: Diagnosis) -> list[str]:
    return [cause.cause.id for cause in found.causes]


def stop_node(slurm: Slurm, name: str) -> None:
    pid = int((slurm.folder / f"{name}.pid").read_text())
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not _runs(pid))


def _runs(pid: int) -> bool:
    """Return whether a process is more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_cluster_on_which_a_job_ran_has_nothing_to_diagnose(tmp_path: Path):
    with real_slurm(1) as slurm:
        job = slurm.submit("true")
        wait_until(lambda: slurm.job(job) == "COMPLETED")
        # Its daemons write error: of what the machine lacks, such as a mail program, and go on.
        assert set(ids(diagnosed(slurm, tmp_path))) <= {"slurm-daemon-error"}


def test_a_node_that_does_not_answer_is_found(tmp_path: Path):
    with real_slurm(2, more=LOSES_NODES_SOON) as slurm:
        lost, other = slurm.nodes
        stop_node(slurm, lost)
        wait_until(lambda: slurm.node(lost).startswith("down"))
        assert slurm.node(other) == "idle"
        diagnosis = diagnosed(slurm, tmp_path)
    assert ids(diagnosis)[:1] == ["slurm-node-set-down"]
    assert f"Nodes {lost} not responding" in diagnosis.causes[0].evidence[0].text


def test_a_job_that_takes_more_memory_than_it_may_is_found(tmp_path: Path):
    with real_slurm(1, more=WATCHES_MEMORY) as slurm:
        job = slurm.submit(TAKES_MEMORY, "--mem=20M")
        wait_until(lambda: slurm.job(job) not in ("PENDING", "RUNNING", "COMPLETING"))
        diagnosis = diagnosed(slurm, tmp_path)
    assert ids(diagnosis)[:1] == ["host-out-of-memory"]


def test_a_node_whose_prolog_fails_is_drained_for_that(tmp_path: Path):
    prolog = tmp_path / "prolog"
    prolog.mkdir()
    (prolog / "90_fails").write_text("#!/bin/sh\nexit 1\n")
    (prolog / "90_fails").chmod(0o755)
    with real_slurm(1, prolog=str(prolog)) as slurm:
        slurm.submit("true")
        wait_until(lambda: slurm.node(slurm.nodes[0]).startswith("drain"))
        diagnosis = diagnosed(slurm, tmp_path)
    assert ids(diagnosis)[:1] == ["slurm-prolog-failed"]


def test_a_node_with_another_munge_key_is_found(tmp_path: Path):
    with real_slurm(1) as slurm:
        (node,) = slurm.nodes
        stop_node(slurm, node)
        with started_with_another_key(slurm, node):
            wait_until(lambda: "Munge decode failed" in (slurm.folder / "slurmctld.log").read_text())
            diagnosis = diagnosed(slurm, tmp_path)
    assert ids(diagnosis)[:1] == ["munge-key-mismatch"]


@contextmanager
def started_with_another_key(slurm: Slurm, node: str) -> Iterator[None]:
    """Run a node that has another munge key than the controller."""
    place = slurm.folder / "other"
    place.mkdir(mode=0o755)
    (place / "key").write_bytes(secrets.token_bytes(128))
    (place / "key").chmod(0o400)
    settings = (slurm.folder / "slurm.conf").read_text().replace(f"{slurm.folder}/munge/sock", f"{place}/sock")
    (place / "slurm.conf").write_text(settings)
    (place / "cgroup.conf").write_text((slurm.folder / "cgroup.conf").read_text())
    files = [f"--{name}-file={place / name}" for name in ("key", "pid", "log", "seed")]
    commands = (
        ["munged", "--foreground", "--force", f"--socket={place}/sock", *files],
        ["slurmd", "-D", "-N", node, "-f", str(place / "slurm.conf")],
    )
    running: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            quiet = subprocess.DEVNULL
            running.append(subprocess.Popen(command, cwd=place, stdout=quiet, stderr=quiet))
            wait_until((place / "sock").exists)
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
