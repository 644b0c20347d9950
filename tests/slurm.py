"""A real Slurm on this machine: munged, slurmctld and a slurmd for each node, on loopback, gone with the test."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.waiting import wait_until
from trainyard.lab.lab_process import step_daemons

NOBODY = 65534


@dataclass(frozen=True, slots=True)
class Slurm:
    """A cluster that runs."""

    folder: Path
    nodes: tuple[str, ...]
    running: ExitStack

    def start_controller(self) -> None:
        """Start slurmctld."""
        _start(self.running, self.folder, "slurmctld", "-D", "-f", str(self.folder / "slurm.conf"))

    def stop_controller(self) -> None:
        """Stop it, with what it knows written down."""
        self.run("scontrol", "shutdown", "slurmctld")
        wait_until(lambda: not (self.folder / "slurmctld.pid").exists())

    def start_node(self, name: str, *more: str) -> None:
        """Start the slurmd of a node. One that was powered up has to say that it booted: -b."""
        _start(self.running, self.folder, "slurmd", "-D", *more, "-N", name, "-f", str(self.folder / "slurm.conf"))

    @property
    def port(self) -> int:
        """Where slurmctld listens, also for those who ask for its metrics."""
        lines = (self.folder / "slurm.conf").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("SlurmctldPort=")).partition("=")[2])

    @property
    def variables(self) -> dict[str, str]:
        """What leads the commands of Slurm to it."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def run(self, *command: str) -> str:
        """Run one of Slurm's commands as root and return what it prints. Raises where it fails."""
        environment = {**os.environ, **self.variables}
        done = subprocess.run(
            command, env=environment, cwd="/", capture_output=True, text=True, check=False, timeout=300
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


@contextmanager
def real_slurm(  # noqa: PLR0913  what tests tell apart
    nodes: int = 2,
    *,
    prolog: str | None = None,
    more: str = "",
    gpus: int = 0,
    queue: str = "ALL",
    topology: str | None = None,
) -> Iterator[Slurm]:
    """Start one and stop it whatever happens.

    ``prolog`` is a folder of scripts, as ParallelCluster has it; ``more`` is added to slurm.conf; each node has
    ``gpus``, of which Slurm believes that they are H100; ``queue`` says which nodes are in the partition q;
    ``topology`` is the text of topology.yaml, which Slurm reads since 25.05.
    """
    host = socket.gethostname().split(".")[0]
    # Names of sockets may not be long, and an ordinary user has to get in.
    folder = Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
    folder.chmod(0o755)
    names = tuple(f"q-st-cpu-{number + 1}" for number in range(nodes))
    ports = free_ports(nodes + 1)
    gres = _write_gpus(folder, gpus)
    try:
        prologs = (
            f"Prolog={prolog}/*\nSchedulerParameters=nohold_on_prolog_fail\nBatchStartTimeout=180\n" if prolog else ""
        )
        own = "".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=500{gres}\n"
            for name, port in zip(names, ports[1:], strict=True)
        )
        partition = f"PartitionName=q Nodes={queue} Default=YES\n"
        _write_settings(folder, host, ports[0], prologs + "GresTypes=gpu\n" + own + more + partition)
        if topology is not None:
            (folder / "topology.yaml").write_text(topology)
        with ExitStack() as running:
            _munged(folder, running)
            slurm = Slurm(folder, names, running)
            slurm.start_controller()
            for name in names:
                slurm.start_node(name)
            wait_until(lambda: _all_idle(slurm))
            yield slurm
    finally:
        # What holds a job outlives slurmd, and would tell a slurmctld that is gone of its end again and again.
        for step in step_daemons(folder):
            with suppress(OSError):
                os.kill(step.id, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)


def _write_settings(folder: Path, host: str, port: int, more: str) -> None:
    (folder / "spool").mkdir()
    (folder / "state").mkdir()
    (folder / "slurm.conf").write_text(f"""\
ClusterName=lab
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
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
{more}""")
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")


def _write_gpus(folder: Path, gpus: int) -> str:
    """Make devices that Slurm takes for GPUs, and return what a node says of them."""
    if not gpus:
        return ""
    (folder / "dev").mkdir()
    for number in range(gpus):
        os.mknod(folder / "dev" / f"nvidia{number}", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    (folder / "gres.conf").write_text(
        f"NodeName=q-st-cpu-[1-999] Name=gpu Type=h100 File={folder}/dev/nvidia[0-{gpus - 1}]\n"
    )
    return f" Gres=gpu:h100:{gpus}"


def _munged(folder: Path, running: ExitStack) -> None:
    place = folder / "munge"
    place.mkdir(mode=0o755)
    key = place / "key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    files = [f"--{name}-file={place / name}" for name in ("key", "pid", "log", "seed")]
    _start(running, folder, "munged", "--foreground", "--force", f"--socket={place}/sock", *files)
    wait_until((place / "sock").exists)


def _start(running: ExitStack, folder: Path, *command: str) -> None:
    log = running.enter_context((folder / f"{command[0]}.output").open("ab"))
    process = running.enter_context(subprocess.Popen(command, stdout=log, stderr=log, cwd=folder))
    running.callback(process.kill)


def _all_idle(slurm: Slurm) -> bool:
    try:
        slurm.run("scontrol", "ping")
        return {slurm.node(name) for name in slurm.nodes} <= {"idle"}
    except AssertionError:
        return False


def free_ports(count: int) -> list[int]:
    """Return ports that nobody has."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
