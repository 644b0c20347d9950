"""The NCCL job as several nodes on this machine: real sockets, and stand-ins for MPI, keys and the SSH server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from trainyard.platforms.batch.rendering.queue_slots import program

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

MPIRUN = """#!/bin/sh
while [ "$1" != --hostfile ]; do shift; done
cat "$2"
echo "$*"
case "$*" in *broken_perf*) exit 3 ;; esac
"""
# Listens where it is told, once the key is allowed, for as long as the node does: it has its standard output.
SSHD = """#!/usr/bin/env python3
import os, re, socket, sys, time
node = os.getppid()
arguments = sys.argv[1:]
allowed = next(one for one in arguments if one.startswith("AuthorizedKeysFile=")).partition("=")[2]
assert re.match("ssh-ed25519 ", open(allowed).read())
server = socket.create_server(("127.0.0.1", int(arguments[arguments.index("-p") + 1])))
while os.getppid() == node:
    time.sleep(0.05)
"""
KEYGEN = """#!/bin/sh
while [ "$1" != -f ]; do shift; done
echo "private" >"$2"
echo "ssh-ed25519 AAAA of-this-job" >"$2.pub"
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """Nodes that differ in nothing but what Batch tells them, and where their SSH server listens."""

    def __init__(self, folder: Path, *, without: str = "") -> None:
        self.folder, self.port = folder, free_port()
        programs = {"mpirun": MPIRUN, "sshd": SSHD, "ssh-keygen": KEYGEN, "all_reduce_perf": "", "broken_perf": ""}
        for name, text in programs.items():
            if name != without:
                (folder / name).write_text(text or "#!/bin/sh\n")
                (folder / name).chmod(0o755)

    def node(self, index: int, nodes: int, **more: str) -> subprocess.Popen[str]:
        told = {"AWS_BATCH_JOB_NODE_INDEX": str(index), "AWS_BATCH_JOB_NUM_NODES": str(nodes)}
        if index:
            told["AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"] = "127.0.0.1"
        bench = {
            "TRAINYARD_PROGRAMS": "all_reduce_perf",
            "TRAINYARD_ARGUMENTS": "-b 8",
            "TRAINYARD_RANKS_PER_NODE": "8",
        }
        own = {"TRAINYARD_PORT": str(self.port), "TRAINYARD_SSH_PORT": str(free_port()), "TRAINYARD_WAIT_S": "20"}
        own |= {"TRAINYARD_SSHD_FOLDER": str(self.folder / "run"), "PATH": f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.Popen(
            [sys.executable, "-I", "-c", program("programs/nccl_job.py", dense=True)],
            env={**told, **bench, **own, **more}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


def end_of(*nodes: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return how the first ended, and end the others as Batch does."""
    try:
        out, err = nodes[0].communicate(timeout=300)
    finally:
        for node in nodes:
            node.kill()
            node.communicate()
    return nodes[0].returncode, out, err


def test_the_main_node_runs_the_program_on_all_nodes_in_their_order(tmp_path: Path):
    cluster = Cluster(tmp_path)
    status, out, err = end_of(*(cluster.node(index, 3) for index in range(3)))
    assert status == 0, err
    lines = out.splitlines()
    assert lines[1:4] == ["127.0.0.1 slots=8"] * 3
    assert lines[4].endswith(f"{tmp_path}/all_reduce_perf -b 8")
    assert "-np 24" in lines[4]


def test_one_node_needs_no_other(tmp_path: Path):
    status, out, err = end_of(Cluster(tmp_path).node(0, 1))
    assert status == 0, err
    assert "localhost slots=8" in out


def test_a_program_that_fails_decides_how_the_job_ended_and_the_next_one_runs_all_the_same(tmp_path: Path):
    status, out, _ = end_of(Cluster(tmp_path).node(0, 1, TRAINYARD_PROGRAMS="broken_perf all_reduce_perf"))
    assert status == 3
    assert "/all_reduce_perf -b 8" in out.splitlines()[-1]


def test_variables_of_the_test_reach_every_rank(tmp_path: Path):
    variables = {"NCCL_ALGO": "Ring", "TRAINYARD_VARIABLES": "NCCL_ALGO"}
    _, out, _ = end_of(Cluster(tmp_path).node(0, 1, **variables))
    assert "-x NCCL_ALGO" in out


def test_a_node_that_does_not_come_up_is_one_line_and_no_waiting_for_ever(tmp_path: Path):
    status, out, err = end_of(Cluster(tmp_path).node(0, 3, TRAINYARD_WAIT_S="1"))
    assert (status, out, err.strip()) == (1, "", "2 of 3 nodes did not come up within 1 s")


def test_an_image_without_mpi_is_told_what_it_lacks(tmp_path: Path):
    status, _, err = end_of(Cluster(tmp_path, without="mpirun").node(0, 1, PATH=str(tmp_path)))
    assert status == 1
    assert err.startswith("the image has no mpirun")
