"""A real Slurm in which much goes on at once, as ParallelCluster has it: GPUs, nodes without power, names that bite."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from tests.slurm import Slurm, free_ports, real_slurm
from tests.waiting import wait_until

GPUS = 4
# Nodes of the cloud without power are shown only with PrivateData: https://slurm.schedmd.com/slurm.conf.html#OPT_cloud
# Nothing starts them by itself, so the one that a job waits for stays on its way up.
CLOUD = """\
PrivateData=cloud
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=3600
ResumeTimeout=600
NodeName=gpu-dy-p5-[1-3,08-11] State=CLOUD CPUs=192 RealMemory=2000000 Gres=gpu:h100:8 Features=dynamic,p5.48xlarge
NodeName=q-dy-cpu-1 NodeHostname={host} NodeAddr=127.0.0.1 Port={port} State=CLOUD CPUs=2 RealMemory=500
PartitionName=gpu Nodes=gpu-dy-p5-[1-3,08-11]
PartitionName=closed Nodes=q-st-cpu-2 State=DOWN
"""
# What people write. The quotes, the bracket and the line break once ended labels, lines and parsers.
REASON = 'GPU 3: "Xid 79" {node="x"} \\ é 日本\nNodeName=forged CPUTot=9'
JOB_NAME = 'a" b\'{job="x"} é\nslurm_nodes_total 99'
# Where Slurm does not check accounts, a user may write anything there.
ACCOUNT = "x\x1fb\x1e\nRUNNING\x1fq\x1fceo\x1f9999"


@contextmanager
def busy_slurm() -> Iterator[Slurm]:
    """Start it, and wait until all of it is as it is meant to be."""
    (port,) = free_ports(1)
    cloud = CLOUD.format(host=socket.gethostname().split(".")[0], port=port)
    with real_slurm(3, gpus=GPUS, more=cloud) as slurm:
        first, second, third = slurm.nodes
        running = [
            slurm.submit("sleep 600", "--gres=gpu:h100:2", f"--nodelist={first}", f"--job-name={JOB_NAME}"),
            slurm.submit("sleep 600", "--gpus=1", f"--nodelist={first}", uid=0),
            slurm.submit("sleep 600", f"--nodelist={second}"),
        ]
        failed = slurm.submit("exit 3", f"--nodelist={second}")
        slurm.submit("true", "--array=1-7", "--hold")
        slurm.submit("true", "--partition=q,gpu", "--hold", "--ntasks=5", "--comment=x y")
        slurm.submit("true", "--partition=gpu", "--nodelist=gpu-dy-p5-09", "--gres=gpu:8")
        slurm.submit("true", "--partition=closed")
        slurm.submit("true", "--hold", f"--account={ACCOUNT}")
        wait_until(lambda: {slurm.job(job) for job in running} == {"RUNNING"} and slurm.job(failed) == "FAILED")
        slurm.run("scontrol", "update", f"NodeName={third}", "State=drain", f"Reason={REASON}")
        slurm.run("scontrol", "update", "NodeName=gpu-dy-p5-11", "State=down", "Reason=no answer")
        wait_until(lambda: slurm.node("gpu-dy-p5-09").endswith("#"))
        yield slurm
