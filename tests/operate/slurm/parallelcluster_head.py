"""A head node of ParallelCluster on this machine: a real Slurm, its own clustermgtd, and an emulated EC2.

clustermgtd and the programs that resume and suspend nodes are those of aws-parallelcluster-node. Slurm may run in a
root where its Python is not, so what it calls leaves its request in a folder, and the program runs beside it. An
instance that EC2 has launched boots: a slurmd with the name that clustermgtd gave to its address.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.operate.status.planted import IMAGE
from tests.slurm import Slurm, free_ports, real_slurm
from trainyard.edge.aws.account import Account
from trainyard.lab.lab_process import step_daemons

ENVIRONMENT = Path(__file__).parents[3] / ".make" / "parallelcluster-node" / "bin"
CLUSTER = "llm"
STATIC, DYNAMIC = ("q-st-cpu-1", "q-st-cpu-2"), ("q-dy-cpu-1", "q-dy-cpu-2")
LOOP_S = 3
"""How often clustermgtd looks; every minute on a cluster."""
_PROGRAM = (
    '#!/bin/sh\ncp "$SLURM_RESUME_FILE" {spool}/$$.json\necho "$1" >{spool}/$$\nmv {spool}/$$ {spool}/$$.{kind}\n'
)
# Slurm 26.05 says this of jobs whose nodes resume, too, and the program of ParallelCluster 3.16.1 takes no key that it
# does not know: SlurmResumeJob.__init__ in its slurm_plugin/slurm_resources.py, read on 2026-11-28. On a cluster it is
# called by the Slurm that ParallelCluster ships, 25.11.8.
_NEW_KEYS = ("exclusive", "priority")
# Both write to /var/log/parallelcluster, whatever their settings say: here it is a folder of the test.
_WITH_LOGS = ("unshare", "--mount", "bash", "-c", 'mount --bind "$0" /var/log && exec "$@"')
_LOGGING = """\
[loggers]
keys=root
[handlers]
keys=file
[formatters]
keys=plain
[logger_root]
level=INFO
handlers=file
[handler_file]
class=FileHandler
formatter=plain
args=('{log}',)
[formatter_plain]
format=%(asctime)s %(levelname)s %(message)s
"""


@dataclass
class Head:
    """What runs."""

    slurm: Slurm
    account: Account
    variables: Mapping[str, str]
    folder: Path
    running: ExitStack
    slurmds: dict[str, tuple[str, subprocess.Popen[bytes]]] = field(default_factory=dict)
    """Of each instance that has booted, the name of its node and the process."""
    relayed: set[tuple[str, int]] = field(default_factory=set)
    """The addresses and ports whose calls are handed on."""

    @property
    def log(self) -> str:
        """What clustermgtd has written."""
        return (self.folder / "clustermgtd.log").read_text()

    @property
    def looks(self) -> int:
        """How often clustermgtd has looked."""
        return self.log.count("Managing cluster...")

    def instances(self) -> dict[str, str]:
        """Return the instances that run, with their addresses."""
        filters = [{"Name": "instance-state-name", "Values": ["pending", "running"]}]
        listed = self.account.client("ec2").describe_instances(Filters=filters)["Reservations"]
        return {one["InstanceId"]: one["PrivateIpAddress"] for part in listed for one in part["Instances"]}

    def nodes(self) -> dict[str, dict[str, str]]:
        """Return what Slurm shows of each node."""
        shown = self.slurm.run("scontrol", "--oneliner", "show", "nodes")
        nodes = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in shown.splitlines()]
        return {node["NodeName"]: node for node in nodes}

    def instance_of(self, name: str) -> str | None:
        """Return the instance behind a node."""
        address = self.nodes()[name]["NodeAddr"]
        return next((id_ for id_, its in self.instances().items() if its == address), None)

    def is_free(self, name: str) -> bool:
        """Return whether Slurm could give it a job."""
        return self.slurm.node(name) in ("idle", "reserved", "planned") and self.instance_of(name) is not None

    def boot(self) -> None:
        """End what ran on instances that are gone, and start the slurmd of every new one."""
        present = self.instances()
        for id_ in self.slurmds.keys() - present.keys():
            name, slurmd = self.slurmds.pop(id_)
            slurmd.kill()
            for step in step_daemons(self.slurm.folder, name):
                with suppress(ProcessLookupError):
                    os.kill(step.id, signal.SIGKILL)
            shutil.rmtree(self.slurm.folder / "spool" / name, ignore_errors=True)
        names = {node["NodeAddr"]: name for name, node in self.nodes().items()}
        for id_, address in present.items():
            if id_ not in self.slurmds and address in names:
                self.slurmds[id_] = names[address], self._slurmd(id_, names[address], address)

    def _slurmd(self, id_: str, name: str, address: str) -> subprocess.Popen[bytes]:
        own = self.slurm.folder / f"{name}.conf"  # beside cgroup.conf
        conf = (self.slurm.folder / "slurm.conf").read_text()
        conf = conf.replace(f"NodeName={name} ", f"NodeName={name} NodeAddr={address} ")
        own.write_text(conf.replace("(127.0.0.1)", f"({address})"))
        # slurmctld takes the caller's address for the node's; slurmd listens where the name of this machine leads.
        own_port = int(self.nodes()[name]["Port"])
        for port, source in ((self.slurm.port, address), (own_port, "127.0.0.1")):
            if (address, port) not in self.relayed:  # EC2 gives the next instance the address of one that is gone
                self.running.enter_context(relay(address, port, source))
                self.relayed.add((address, port))
        words = ["slurmd", "-D", "-b", "-N", name, "-f", str(own), "--instance-id", id_]
        log = self.running.enter_context((self.folder / f"{name}.output").open("ab"))
        started = self.running.enter_context(subprocess.Popen(words, stdout=log, stderr=log, cwd=self.folder))
        self.running.callback(started.kill)
        if name in STATIC:  # as the node does itself, however it was given up, failure ignored: finalize_compute.rb
            with suppress(AssertionError):
                self.slurm.run("scontrol", "update", f"NodeName={name}", "State=RESUME", "Reason=Node start up")
        return started

    def answer(self) -> None:
        """Run what Slurm has asked for: nodes that resume, or are suspended."""
        for request in (self.folder / "spool").glob("*.*"):
            if request.suffix == ".json":
                continue
            words = [*_WITH_LOGS, str(self.folder / "log"), str(ENVIRONMENT / f"slurm_{request.suffix[1:]}")]
            words += [request.read_text().strip()]
            asked = {"CONFIG_FILE": str(self.folder / "programs.conf")}
            asked["SLURM_RESUME_FILE"] = str(_known_to_parallelcluster(request.with_suffix(".json")))
            request.unlink()
            with (self.folder / "programs.output").open("ab") as log:
                subprocess.run(words, env={**self.variables, **asked}, stdout=log, stderr=log, check=False)


def _known_to_parallelcluster(resume_file: Path) -> Path:
    """Take out of the jobs of a resume file what only a newer Slurm says of them; what is suspended has none."""
    if resume_file.exists():
        content = json.loads(resume_file.read_text())
        for job in content["jobs"]:
            for key in _NEW_KEYS:
                job.pop(key, None)
        resume_file.write_text(json.dumps(content))
    return resume_file


@contextmanager
def relay(address: str, port: int, source: str) -> Iterator[None]:
    """Hand calls to a port of an address on to the same one of 127.0.0.1, as calls from another address."""

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with (
                suppress(ConnectionRefusedError),
                socket.create_connection(("127.0.0.1", port), source_address=(source, 0)) as other,
            ):
                back = threading.Thread(target=_copy, args=(other, self.request), daemon=True)
                back.start()
                _copy(self.request, other)
                back.join()

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = allow_reuse_address = True

    with Server((address, port), Relay) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            server.shutdown()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while content := source.recv(1 << 16):
            target.sendall(content)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


@contextmanager
def parallelcluster_head(account: Account, folder: Path, programs: Path) -> Iterator[Head]:
    """Start it, and end it whatever happens. ``programs`` has Slurm's, by names that are also what PATH finds."""
    assert ENVIRONMENT.exists(), "clustermgtd is missing: run tools/parallelcluster_node.sh"
    spool = folder / "spool"
    spool.mkdir()
    (folder / "log" / "parallelcluster").mkdir(parents=True)
    for kind in ("resume", "suspend"):
        (folder / f"{kind}.sh").write_text(_PROGRAM.format(spool=spool, kind=kind))
        (folder / f"{kind}.sh").chmod(0o755)
    _write_settings(account, folder, programs)
    _make_launch_template(account)
    variables = {
        **os.environ, **account.variables(), "PATH": f"{programs}:{os.environ['PATH']}",
        "SLURM_BINARIES_DIR": str(programs), "CONFIG_FILE": str(folder / "clustermgtd.conf"),
        "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    with real_slurm(0, more=_slurm_conf(folder)) as slurm, ExitStack() as running:
        variables |= slurm.variables
        head = Head(slurm, account, variables, folder, running)
        log = running.enter_context((folder / "clustermgtd.output").open("ab"))
        daemon = running.enter_context(
            subprocess.Popen([ENVIRONMENT / "clustermgtd"], env=variables, stdout=log, stderr=log, cwd=folder)
        )
        running.callback(daemon.kill)
        over = threading.Event()
        around = threading.Thread(target=_go_on, args=(head, over), daemon=True)
        around.start()
        try:
            yield head
        finally:
            over.set()
            around.join()


def _go_on(head: Head, over: threading.Event) -> None:
    while not over.wait(0.5):
        with suppress(AssertionError):  # while slurmctld is busy
            head.answer()
            head.boot()


def _slurm_conf(folder: Path) -> str:
    names = (*STATIC, *DYNAMIC)
    nodes = "".join(
        f"NodeName={name} CPUs=2 RealMemory=500 State=CLOUD Port={port}\n"
        for name, port in zip(names, free_ports(len(names)), strict=True)
    )
    # As ParallelCluster 3.16.1 sets it, but for shorter times.
    return (
        f"{nodes}ResumeProgram={folder}/resume.sh\nSuspendProgram={folder}/suspend.sh\nResumeTimeout=300\n"
        f"SuspendTimeout=10\nSuspendTime=20\nSuspendExcNodes={','.join(STATIC)}\nTreeWidth=65533\nDebugFlags=NO_CONF_HASH\n"
        "SlurmctldParameters=idle_on_node_suspend,power_save_min_interval=1,power_save_interval=2,cloud_dns\n"
    )


def _write_settings(account: Account, folder: Path, programs: Path) -> None:
    common = {
        "region": account.region, "cluster_name": CLUSTER, "dynamodb_table": f"parallelcluster-slurm-{CLUSTER}",
        "head_node_private_ip": "127.0.0.1", "head_node_hostname": "head", "instance_id": "i-0000000000000000a",
        "fleet_config_file": folder / "fleet.json", "logging_config": folder / "logging.conf", "loop_time": LOOP_S,
        "heartbeat_file_path": folder / "heartbeat", "clustermgtd_heartbeat_file_path": folder / "heartbeat",
        "compute_console_logging_enabled": False, "use_private_hostname": True, "orphaned_instance_timeout": 30,
        # Slurm 24.11 gives each of several nodes the ids of all, by which clustermgtd finds none; 26.05 does not.
        "launch_max_batch_size": 1, "assign_node_max_batch_size": 1,
    }  # fmt: skip
    settings = "".join(f"{name} = {value}\n" for name, value in common.items())
    (folder / "clustermgtd.conf").write_text(f"[clustermgtd]\n{settings}")
    (folder / "programs.conf").write_text(f"[slurm_resume]\n{settings}[slurm_suspend]\n{settings}")
    (folder / "logging.conf").write_text(_LOGGING.format(log=folder / "clustermgtd.log"))
    resource = {"Api": "run-instances", "CapacityType": "on-demand", "Instances": [{"InstanceType": "m5.large"}]}
    (folder / "fleet.json").write_text(json.dumps({"q": {"cpu": resource}}))
    mapping = programs.parent / "etc" / "pcluster"
    mapping.mkdir(parents=True)
    (mapping / "parallelcluster_partition_nodelist_mapping.json").write_text(
        json.dumps({"q": ",".join((*STATIC, *DYNAMIC))})
    )
    for name, text in (("sudo", 'exec "$@"'), ("get-compute-fleet-status.sh", 'echo \'{"status": "RUNNING"}\'')):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)


def _make_launch_template(account: Account) -> None:
    """Make what the stack of a cluster has for its queue, in a network whose addresses are this machine's own."""
    ec2 = account.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="127.10.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="127.10.1.0/24", AvailabilityZone="us-east-2a")["Subnet"][
        "SubnetId"
    ]
    tags = {
        "parallelcluster:cluster-name": CLUSTER, "parallelcluster:node-type": "Compute",
        "parallelcluster:queue-name": "q", "parallelcluster:compute-resource-name": "cpu",
    }  # fmt: skip
    data = {
        "ImageId": IMAGE, "InstanceType": "m5.large",
        "NetworkInterfaces": [{"DeviceIndex": 0, "SubnetId": subnet}],
        "TagSpecifications": [
            {"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}
        ],
    }  # fmt: skip
    ec2.create_launch_template(LaunchTemplateName=f"{CLUSTER}-q-cpu", LaunchTemplateData=data)
    account.client("dynamodb").create_table(
        TableName=f"parallelcluster-slurm-{CLUSTER}", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
    )  # fmt: skip
