"""Record what a real Slurm says of the cluster: `python -m tests.monitoring.whole_cluster.record_slurm`, as root.

Four nodes with eight GPUs and one job over three of them; once well, and once with a GPU that is ill on the third,
which drains, and the fourth drained by hand for what it lacks. The node that `real_slurm` itself brings is left out.
"""

from __future__ import annotations

import os
import re
import socket
import tempfile
import time
from pathlib import Path

from tests.monitoring.whole_cluster.nodes import COMPUTE
from tests.node.collectors.record_slurm import an_hour_later
from tests.node.collectors.recorded_programs import END
from tests.node.newer_slurm import write_programs
from tests.slurm import Slurm, free_ports, real_slurm
from tests.waiting import wait_until
from trainyard_node.collectors.slurm.slurm_reading import COMMAND_S, MOST_BYTES, VARIABLES, commands_with
from trainyard_node.programs import RealPrograms

RECORDED = Path(__file__).parent / "recorded" / "slurm"
NAMES = [node.slurm_name for node in COMPUTE]
# As trainyard_node/slurm_node.py begins reasons, and as people write them.
REASONS = {NAMES[2]: "trainyard: gpu-row-remap failed on gpu 3", NAMES[3]: "an EFA interface is gone, ticket 4711"}


def main() -> None:
    """Record it well, then ill."""
    with tempfile.TemporaryDirectory() as programs:
        write_programs(Path(programs))
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
        host, ports = socket.gethostname().split(".")[0], free_ports(len(NAMES))
        nodes = "".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=192 RealMemory=2000000 "
            f"Gres=gpu:h100:8 Features=static,p5.48xlarge\n"
            for name, port in zip(NAMES, ports, strict=True)
        )
        queue = f"PartitionName=gpu Nodes={','.join(NAMES)}\n"
        with real_slurm(1, gpus=8, more=nodes + queue, queue="q-st-cpu-1") as slurm:
            os.environ["SLURM_CONF"] = slurm.variables["SLURM_CONF"]
            _work(slurm)
            _record(RECORDED / "well")
            for name, reason in REASONS.items():
                slurm.run("scontrol", "update", f"NodeName={name}", "State=drain", f"Reason={reason}")
            _record(RECORDED / "ill")


def _work(slurm: Slurm) -> None:
    gpus = (slurm.folder / "gres.conf").read_text().replace("q-st-cpu-[1-999]", ",".join(NAMES))
    with (slurm.folder / "gres.conf").open("a") as file:
        file.write(gpus)
    slurm.run("scontrol", "reconfigure")
    for name in NAMES:
        slurm.start_node(name)
    wait_until(lambda: {slurm.node(name) for name in NAMES} == {"idle"})
    whole = ("--partition=gpu", "--exclusive", "--gres=gpu:h100:8")
    nodes = f"--nodelist={','.join(NAMES[:3])}"
    job = slurm.submit("sleep 600", *whole, "--nodes=3", nodes, "--account=research", "--job-name=pretrain")
    wait_until(lambda: slurm.job(job) == "RUNNING")
    slurm.submit("true", *whole, "--nodes=4", "--account=research", "--job-name=next")
    slurm.submit("true", *whole, "--nodes=1", "--account=evaluation", "--hold")
    failed = slurm.submit("exit 3", *whole, "--nodes=1", "--account=evaluation")
    wait_until(lambda: slurm.job(failed) == "FAILED")
    time.sleep(3)


def _record(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    host = socket.gethostname().split(".")[0]
    for command in commands_with(END.decode()):
        output = RealPrograms().read(command, COMMAND_S, MOST_BYTES, VARIABLES)
        plain = re.sub(rb"OS=.*?  RealMemory", b"OS=Linux 6.8.0 #1 SMP @0  RealMemory", output)
        plain = plain.replace(f"NodeHostName={host}".encode(), b"NodeHostName=host").replace(b"nobody", b"ana")
        ours = [line for line in plain.splitlines(keepends=True) if b"q-st-cpu-1" not in line]
        (folder / command[0]).write_bytes(an_hour_later(b"".join(ours)))


if __name__ == "__main__":
    main()
