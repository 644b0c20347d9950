"""The bandwidth tests as a multi-node job of AWS Batch: every node runs this, the main node starts Open MPI on all.

Open MPI reaches the other nodes by SSH. No key lies in an image or in AWS for that: the main node makes one when the
job starts, and gives its public half to whoever asks inside the security group; the nodes answer to that key alone.

TRAINYARD_PROGRAMS: programs of nccl-tests, one after the other. TRAINYARD_ARGUMENTS: what each is told.
TRAINYARD_RANKS_PER_NODE: processes on a node. TRAINYARD_VARIABLES: names of further variables that every rank gets.

https://docs.aws.amazon.com/batch/latest/userguide/mnp-env-vars.html
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PORT, SSH_PORT = int(os.environ.get("TRAINYARD_PORT", "29400")), int(os.environ.get("TRAINYARD_SSH_PORT", "2222"))
WAIT_S = float(os.environ.get("TRAINYARD_WAIT_S", "900"))
SEARCHED = f"/opt/nccl-tests/build:/opt/amazon/openmpi/bin:/usr/sbin:{os.environ.get('PATH', '')}"
PASSED = ("PATH", "LD_LIBRARY_PATH", "NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_SOCKET_IFNAME", "TRAINYARD_BENCH_JOB")


def main() -> int:
    """Do this node's part, and return the exit status."""
    folder = Path(tempfile.mkdtemp(prefix="nccl-job-"))
    address = os.environ.get("AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS")
    return run_programs(folder) if address is None else serve(folder, address)


def run_programs(folder: Path) -> int:
    """Wait for the other nodes, run every program on all of them, and return the last status that was not 0."""
    key, nodes = folder / "key", int(os.environ.get("AWS_BATCH_JOB_NUM_NODES", "1"))
    make_key(key)
    others = gather(key.with_suffix(".pub").read_bytes(), nodes - 1)
    own = own_address(next(iter(others.values()))) if others else "localhost"
    ranks, hostfile = int(os.environ["TRAINYARD_RANKS_PER_NODE"]), folder / "hosts"
    hosts = [own, *(others[index] for index in sorted(others))]
    hostfile.write_text("".join(f"{host} slots={ranks}\n" for host in hosts))
    status = 0
    for program in os.environ["TRAINYARD_PROGRAMS"].split():
        command = [*mpirun(key, hostfile, ranks * nodes), found(program), *os.environ["TRAINYARD_ARGUMENTS"].split()]
        sys.stdout.write(f"{' '.join(command)}\n")
        sys.stdout.flush()
        status = subprocess.run(command, check=False).returncode or status
    return status


def mpirun(key: Path, hostfile: Path, ranks: int) -> list[str]:
    """Return how Open MPI is called. Nodes are new, so there are no keys of hosts to compare."""
    ssh = f"ssh -i {key} -p {SSH_PORT} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
    names = dict.fromkeys((*PASSED, *os.environ.get("TRAINYARD_VARIABLES", "").split()))
    passed = [part for name in names if name in os.environ for part in ("-x", name)]
    # Over ecs-eth0 ECS tells a container its role; it leads to no other node.
    settings = {"plm_rsh_agent": ssh, "pml": "ob1", "btl": "tcp,self"}
    settings |= dict.fromkeys(("btl_tcp_if_exclude", "oob_tcp_if_exclude"), "lo,docker0,ecs-eth0")
    told = [part for name, value in settings.items() for part in ("--mca", name, value)]
    started = ["--allow-run-as-root", "--hostfile", str(hostfile), "-np", str(ranks), "--bind-to", "none"]
    return [found("mpirun"), *started, "--tag-output", *told, *passed]


def gather(public_key: bytes, others: int) -> dict[int, str]:
    """Give the key to the other nodes, and return their addresses by index once all of them can be reached."""
    hosts: dict[int, str] = {}
    deadline = time.monotonic() + WAIT_S
    with socket.create_server(("", PORT), backlog=1024) as server:
        while len(hosts) < others:
            server.settimeout(left(deadline, f"{others - len(hosts)} of {others + 1} nodes did not come up"))
            index, address = exchanged(server, public_key)
            if index is not None:
                hosts[index] = address
    return hosts


def exchanged(server: socket.socket, public_key: bytes) -> tuple[int | None, str]:
    """Return index and address of a node that has the key and an SSH server; no index where the talk broke off."""
    try:
        connection, (address, _) = server.accept()
        with connection:
            connection.settimeout(60)
            connection.sendall(public_key)
            return int(connection.makefile().readline(20)), address
    except (OSError, ValueError):
        return None, ""


def serve(folder: Path, address: str) -> int:
    """Let the main node in until it has finished: Batch stops this container then."""
    make_key(folder / "host-key")
    deadline = time.monotonic() + WAIT_S
    while (server := announced(folder, address)) is None:
        left(deadline, f"the main node did not answer at {address}")
        time.sleep(1)
    return server.wait()


def announced(folder: Path, address: str) -> subprocess.Popen[bytes] | None:
    """Return the SSH server of this node once the main node knows of it, None where that does not answer yet."""
    try:
        with socket.create_connection((address, PORT), timeout=60) as connection:
            public_key = connection.makefile("rb").readline(10_000)
            server = ssh_server(folder, public_key)
            connection.sendall(f"{os.environ['AWS_BATCH_JOB_NODE_INDEX']}\n".encode())
            return server
    except OSError:
        return None


def ssh_server(folder: Path, public_key: bytes) -> subprocess.Popen[bytes]:
    """Start an SSH server that takes this one key, and return it once it listens."""
    allowed = folder / "allowed"
    allowed.write_bytes(public_key)
    allowed.chmod(0o600)
    Path(os.environ.get("TRAINYARD_SSHD_FOLDER", "/run/sshd")).mkdir(parents=True, exist_ok=True)
    options = {
        "AuthorizedKeysFile": allowed, "HostKey": folder / "host-key", "PermitRootLogin": "prohibit-password",
        "PasswordAuthentication": "no", "KbdInteractiveAuthentication": "no", "StrictModes": "no", "PidFile": "none",
    }  # fmt: skip
    told = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    server = subprocess.Popen([found("sshd"), "-D", "-e", "-f", "/dev/null", "-p", str(SSH_PORT), *told])
    deadline = time.monotonic() + 60
    while not listens():
        if server.poll() is not None:
            sys.exit(f"the SSH server ended with status {server.returncode}")
        left(deadline, "the SSH server does not listen")
        time.sleep(0.1)
    return server


def listens() -> bool:
    """Return whether something listens where the SSH server is to."""
    with socket.socket() as way:
        return way.connect_ex(("127.0.0.1", SSH_PORT)) == 0


def make_key(file: Path) -> None:
    """Make a key pair; the public half has the ending .pub."""
    subprocess.run([found("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)


def own_address(other: str) -> str:
    """Return the address by which another node knows this one. Nothing is sent for that."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((other, PORT))
        return str(way.getsockname()[0])


def found(program: str) -> str:
    """Return the path of a program of the image, or end with one line that says what is missing."""
    path = shutil.which(program, path=SEARCHED)
    if path is None:
        sys.exit(f"the image has no {program}: it needs nccl-tests, Open MPI, an SSH client and an SSH server")
    return path


def left(deadline: float, problem: str) -> float:
    """Return the seconds to wait at once; end where no time is left."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        sys.exit(f"{problem} within {WAIT_S:.0f} s")
    return min(seconds, 60.0)


if __name__ == "__main__":
    sys.exit(main())
