"""Record what a real Slurm prints for the collector: `python -m tests.node.collectors.record_slurm`, as root.

The Slurm is the busy one of the tests, in Debian's two versions; names of this machine are replaced.
"""

from __future__ import annotations

import os
import re
import socket
import tempfile
from pathlib import Path

from tests.node.collectors.busy_slurm import busy_slurm
from tests.node.collectors.recorded_programs import END
from tests.node.newer_slurm import write_programs
from trainyard_node.collectors.slurm.scheduler import SDIAG, SSHARE
from trainyard_node.collectors.slurm.slurm_reading import COMMAND_S, MOST_BYTES, VARIABLES, commands_with
from trainyard_node.programs import RealPrograms

RECORDED = Path(__file__).parent / "recorded"
VERSIONS = ("22.05", "24.11")


def main() -> None:
    """Record both versions."""
    for version in VERSIONS:
        with tempfile.TemporaryDirectory() as programs:
            if version != VERSIONS[0]:
                write_programs(Path(programs))
                os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
            with busy_slurm() as slurm:
                os.environ["SLURM_CONF"] = slurm.variables["SLURM_CONF"]
                _record(RECORDED / version)


def _record(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    host = socket.gethostname().split(".")[0]
    for command in (*commands_with(END.decode()), SDIAG, SSHARE):
        output = RealPrograms().read(command, COMMAND_S, MOST_BYTES, VARIABLES)
        plain = re.sub(rb"OS=.*?  RealMemory", b"OS=Linux 6.1.0 #1 SMP @0  RealMemory", output)
        plain = plain.replace(f"NodeHostName={host}".encode(), b"NodeHostName=host")
        (folder / command[0]).write_bytes(an_hour_later(plain))


def an_hour_later(squeue: bytes) -> bytes:
    """Return what squeue printed, with jobs that run for an hour, not for the seconds that a recording takes."""
    return re.sub(rb"(RUNNING\x1f[^\x1e]*" + END + rb"\x1f[0-9_]+\x1f)0:[0-9]{2}", rb"\g<1>1:00:00", squeue)


if __name__ == "__main__":
    main()
