"""A real Slurm on this machine: munged, slurmctld and a slurmd for each node, on loopback, gone with the test."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = 65534
_WITHIN_S = 30.0


@dataclass(frozen=True, slots=True)
class Slurm:
    """A cluster that runs."""

    folder: Path
    nodes: tuple[str, ...]

    @property
    def variables(self) -> dict[str, str]:
        """What leads the commands of Slurm to it."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands as root and return what it prints. Raises where it fails."""
        environment = {**os.environ, **self.variables}
        done = subprocess.run(
            command, env=environment, cwd="/", capture_output=True, text=True, check=False, timeout=60
        )
        if done.returncode:
            raise AssertionError(f"{' '.join(command)}: {done.stderr}")
        return done.stdout.strip()

    def submit(self, script: str, *options: str, uid: int = NOBODY) -> str:
        """Submit a batch job of an ordinary user and return its id."""
        file = self.folder / f"job-{secrets.token_hex(4)}.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        said = self.run("sbatch", f"--uid={uid}", "--parsable", "--chdir=/", "--output=/dev/null", *options, str(file))
        return said.split(";")[0]

    def job(self, id_: str) -> str:
        """Return the state of a job, such as PENDING."""
        return self.run("squeue", "--noheader", "--states=all", f"--jobs={id_}", "--format=%T")

    def node(self, name: str) -> str:
        """Return the state of a node, such as idle or drained."""
        return self.run("sinfo", "--noheader", f"--nodes={name}", "--format=%T")


def until(what: Callable[[], bool], within_s: float = _WITHIN_S) -> None:
    """Wait until something is so. Fails where that takes too long."""
    end = time.monotonic() + within_s
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.1)


@contextmanager
def real_slurm(nodes: int = 2, *, prolog: str | None = None, more: str = "") -> Iterator[Slurm]:
    """Start one and stop it whatever happens. ``prolog`` is a folder of scripts, as ParallelCluster has it."""
    host = socket.gethostname().split(".")[0]
    # Names of sockets may not be long, and an ordinary user has to get in.
    folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
    folder.chmod(0o755)
    names = tuple(f"q-st-cpu-{number + 1}" for number in range(nodes))
    ports = _free_ports(nodes + 1)
    try:
        _write_settings(folder, host, ports, prolog, more)
        with ExitStack() as running:
            _munged(folder, running)
            _start(running, folder, "slurmctld", "-D", "-f", str(folder / "slurm.conf"))
            for name in names:
                _start(running, folder, "slurmd", "-D", "-N", name, "-f", str(folder / "slurm.conf"))
            slurm = Slurm(folder, names)
            until(lambda: _all_idle(slurm))
            yield slurm
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_settings(folder: Path, host: str, ports: list[int], prolog: str | None, more: str) -> None:
    (folder / "spool").mkdir()
    (folder / "state").mkdir()
    own = "".join(
        f"NodeName=q-st-cpu-{number} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=500\n"
        for number, port in enumerate(ports[1:], start=1)
    )
    prologs = f"Prolog={prolog}/*\nSchedulerParameters=nohold_on_prolog_fail\nBatchStartTimeout=180\n" if prolog else ""
    (folder / "slurm.conf").write_text(f"""\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/sock
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1
{prologs}{more}{own}PartitionName=q Nodes=ALL Default=YES
""")
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")


def _munged(folder: Path, running: ExitStack) -> None:
    place = folder / "munge"
    place.mkdir(mode=0o755)
    key = place / "key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    files = [f"--{name}-file={place / name}" for name in ("key", "pid", "log", "seed")]
    _start(running, folder, "munged", "--foreground", "--force", f"--socket={place}/sock", *files)
    until((place / "sock").exists)


def _start(running: ExitStack, folder: Path, *command: str) -> None:
    log = running.enter_context((folder / f"{command[0]}.output").open("ab"))
    process = running.enter_context(subprocess.Popen(command, stdout=log, stderr=log, cwd=folder))
    running.callback(process.kill)


def _all_idle(slurm: Slurm) -> bool:
    try:
        return {slurm.node(name) for name in slurm.nodes} == {"idle"}
    except AssertionError:
        return False


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
