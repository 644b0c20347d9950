"""slurm.conf of a lab: ParallelCluster's names, partitions and power saving, with shorter waits, on one machine.

https://slurm.schedmd.com/slurm.conf.html and https://slurm.schedmd.com/programmer_guide.html#multiple_slurmd_support
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from trainyard.lab.lab_node import LabNode, queues


class LabPlace(NamedTuple):
    """Where a lab is, and who runs it."""

    name: str
    folder: Path
    host: str
    """The name of this machine, without its domain."""
    user: str
    port: int
    """That of slurmctld; those of the nodes follow."""
    idle_s: int
    """How long a dynamic node is idle before it is stopped."""
    expedites: bool = False
    """Whether its Slurm is one of 25.11 or later, which can start jobs again before all others."""
    has_blocks: bool = False
    """Whether its Slurm is one of 23.11 or later, which knows nodes that are near each other as blocks."""


# A node that does not answer is down after so many seconds: 180 with ParallelCluster, and nobody waits for it here.
_SLURMD_TIMEOUT_S, _NODES_A_SECOND = 10, 50
# A job that Slurm has put into the queue again waits so long, which is 120 s unless told otherwise:
# https://slurm.schedmd.com/slurm.conf.html#OPT_cred_expire
_CREDENTIAL_S = 15
_HEALTH_EVERY_S, _CHECKS_A_SECOND = 5, 20


def slurm_conf(place: LabPlace, nodes: Sequence[LabNode], *, accounting: str = "") -> str:
    """Return slurm.conf."""
    return "\n".join([*_settings(place, nodes), accounting, *_nodes(place, nodes), *_partitions(nodes), ""])


def gres_conf(folder: Path, nodes: Sequence[LabNode]) -> str:
    """Return gres.conf: GPUs that are empty files, because Slurm believes in no GPU without one."""
    return "".join(
        f"NodeName={_names(alike)} Name=gpu Type={first.gpu_model} File={folder}/gpus/{_range(0, first.gpus)}\n"
        for first, alike in _alike(nodes)
        if first.gpus
    )


def _alike(nodes: Sequence[LabNode]) -> Iterator[tuple[LabNode, list[LabNode]]]:
    """Yield nodes that follow each other and differ in their number only: each slurmd reads the whole file."""
    for _, group in groupby(nodes, key=lambda node: (node.name.rpartition("-")[0], *node[1:])):
        alike = list(group)
        yield alike[0], alike


def _names(alike: Sequence[LabNode]) -> str:
    beginning, _, number = alike[0].name.rpartition("-")
    return f"{beginning}-{_range(int(number), len(alike))}"


def _range(first: int, count: int) -> str:
    return f"{first}" if count == 1 else f"[{first}-{first + count - 1}]"


def files(place: LabPlace, nodes: Sequence[LabNode], accounting: str = "") -> Mapping[str, str]:
    """Return the files of Slurm by name."""
    return {
        "slurm.conf": slurm_conf(place, nodes, accounting=accounting),
        "gres.conf": gres_conf(place.folder, nodes),
        "cgroup.conf": "CgroupPlugin=cgroup/v1\n",
        **({"topology.conf": _topology(nodes)} if _is_in_blocks(place, nodes) else {}),
    }


def _is_in_blocks(place: LabPlace, nodes: Sequence[LabNode]) -> bool:
    return place.has_blocks and any(node.block for node in nodes)


def _topology(nodes: Sequence[LabNode]) -> str:
    """Return topology.conf: a block for each UltraServer. https://slurm.schedmd.com/topology.html."""
    blocks: dict[str, list[LabNode]] = {}
    for node in nodes:
        if node.block:
            blocks.setdefault(node.block, []).append(node)
    lines = [f"BlockName={name} Nodes={','.join(node.name for node in members)}" for name, members in blocks.items()]
    return "\n".join([*lines, f"BlockSizes={min(map(len, blocks.values()))}", ""])


def _settings(place: LabPlace, nodes: Sequence[LabNode]) -> Iterator[str]:
    folder = place.folder
    yield f"""\
ClusterName={place.name}
SlurmctldHost={place.host}(127.0.0.1)
SlurmctldPort={place.port}
SlurmUser={place.user}
SlurmdUser={place.user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/sock,cred_expire={_CREDENTIAL_S}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/pids/%n
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
TreeWidth=65533
MessageTimeout=60
SlurmdTimeout={_SLURMD_TIMEOUT_S + len(nodes) // _NODES_A_SECOND}
JobRequeue=1
KillWait=5
UnkillableStepTimeout=60
MinJobAge=86400
MaxJobCount=100000
SchedulerParameters=sched_interval=2,bf_interval=5,batch_sched_delay=1
HealthCheckProgram={folder}/bin/health-check
Epilog={folder}/bin/health-check
HealthCheckInterval={max(_HEALTH_EVERY_S, len(nodes) // _CHECKS_A_SECOND)}
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/log/jobs.txt"""
    if place.expedites:
        yield "SlurmctldParameters=enable_expedited_requeue"
    if any(node.gpus for node in nodes):
        yield "GresTypes=gpu"
    if _is_in_blocks(place, nodes):
        yield "TopologyPlugin=topology/block"
    if not all(node.is_static for node in nodes):
        static = ",".join(_names(alike) for first, alike in _alike(nodes) if first.is_static)
        yield f"""\
ResumeProgram={folder}/bin/start-nodes
SuspendProgram={folder}/bin/stop-nodes
ResumeTimeout=60
SuspendTimeout=10
SuspendTime={place.idle_s}"""
        if static:
            yield f"SuspendExcNodes={static}"


def _nodes(place: LabPlace, nodes: Sequence[LabNode]) -> Iterator[str]:
    port = place.port + 1
    for node, alike in _alike(nodes):
        gres = f" Gres=gpu:{node.gpu_model}:{node.gpus}" if node.gpus else ""
        state = "UNKNOWN" if node.is_static else "CLOUD"
        yield (
            f"NodeName={_names(alike)} NodeHostname={place.host} NodeAddr=127.0.0.1 Port={_range(port, len(alike))} "
            f"CPUs={node.cpus} RealMemory={node.memory_mib}{gres} State={state}"
        )
        port += len(alike)


def _partitions(nodes: Sequence[LabNode]) -> Iterator[str]:
    for number, (queue, members) in enumerate(queues(nodes).items()):
        names = ",".join(_names(alike) for _, alike in _alike(members))
        # ParallelCluster's first queue is the default one.
        yield f"PartitionName={queue} Nodes={names} Default={'NO' if number else 'YES'} MaxTime=INFINITE State=UP"
