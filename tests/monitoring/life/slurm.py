"""What Slurm prints in a life, and what our real collector makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from tests.monitoring.life.cluster import Job, Life, SlurmState
from tests.node.collectors.recorded_programs import END, end_of
from tests.node.doubles import FakeClock
from trainyard.catalog.instances import find
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.jobs import FIELDS, ID_FIELDS
from trainyard_node.exposition import Exposition

_FIELD, _END = "\x1f", END.decode()
# Jobs are far from their limits.
_LIMIT_S = 30 * 86400


def slurm_expositions(life: Life) -> list[tuple[float, str]]:
    """Return what the head node says of Slurm, and from which minute on: anew whenever something changes."""
    jobs, states = life.jobs, life.slurm_states
    # A job is told by its name once it has run for a minute.
    edges = {moment for job in jobs for moment in (job.from_m, job.from_m + 1, job.to_m)}
    edges |= {moment for state in states for moment in (state.from_m, state.to_m)}
    minutes = [0.0, *sorted(edge for edge in edges if 0 < edge <= life.minutes)]
    return [(minute, _exposition(_printed(life, jobs, states, minute))) for minute in minutes]


class _Printed:
    def __init__(self, outputs: Mapping[str, str]) -> None:
        self._outputs = outputs

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        del timeout_s, most_bytes, variables
        return self._outputs[command[0]].encode().replace(END, end_of(command))


def _exposition(outputs: Mapping[str, str]) -> str:
    exposition = Exposition([SlurmCollector(_Printed(outputs))], FakeClock())
    exposition.read_once()
    text = b"".join(exposition.text()).decode()
    for command in outputs:
        assert f'trainyard_slurm_malformed_records{{command="{command}"}} 0' in text
    return text


def _printed(life: Life, jobs: Sequence[Job], states: Sequence[SlurmState], minute: float) -> dict[str, str]:
    now = [job for job in jobs if job.from_m <= minute < job.to_m]
    said = {one.node: one for one in states if one.from_m <= minute < one.to_m}
    allocated = {name for job in now if job.state == "RUNNING" for name in job.nodes}
    squeue = "".join(_squeue_line(life, job, minute) for job in now)
    sinfo, scontrol = [], []
    for queue, names in life.names.items():
        for name in names:
            state = _state(said.get(name), is_allocated=name in allocated)
            sinfo.append(_sinfo_line(life, queue, name, state, said.get(name)))
            scontrol.append(_scontrol_line(life, queue, name, state))
    return {"squeue": squeue, "sinfo": "".join(sinfo), "scontrol": "".join(scontrol)}


def _state(said: SlurmState | None, *, is_allocated: bool) -> str:
    if said is None or said.state == "idle":
        return "allocated" if is_allocated else "idle"
    return "draining" if said.state == "drained" and is_allocated else said.state


@cache
def _cpus(type_: str) -> int:
    facts = find(type_)
    assert facts is not None
    assert facts.vcpus is not None
    return facts.vcpus


def _gres(life: Life, queue: str) -> str:
    of_queue = life.content["queues"][queue]
    return f"gpu:{of_queue['gpu']}:{of_queue['gpus']}" if "gpu" in of_queue else "(null)"


def _sinfo_line(life: Life, queue: str, name: str, state: str, said: SlurmState | None) -> str:
    type_ = life.content["queues"][queue]["instance_type"]
    cpus = _cpus(type_)
    where = {"allocated": 0, "draining": 0, "idle": 1}.get(state, 2)
    told = "/".join(str(cpus if place == where else 0) for place in range(3))
    is_bad = said is not None and said.state != "idle"
    since, reason = (f"{life.at(said.from_m):.0f}", said.reason) if said and is_bad else ("Unknown", "none")
    fields = (name, queue, "up", state, f"{told}/{cpus}", f"static,{type_}", since, reason)
    return f"{_FIELD.join(fields)}{_END}\n"


def _scontrol_line(life: Life, queue: str, name: str, state: str) -> str:
    cpus, gres = _cpus(life.content["queues"][queue]["instance_type"]), _gres(life, queue)
    is_allocated = state in {"allocated", "draining"}
    kind, _, number = gres.rpartition(":")
    used = (
        f"{kind}:{number if is_allocated else 0}(IDX:{f'0-{int(number) - 1}' if is_allocated else 'N/A'})"
        if kind
        else ""
    )
    words = {"allocated": "ALLOCATED", "draining": "ALLOCATED+DRAIN", "drained": "IDLE+DRAIN", "idle": "IDLE"}
    return (
        f"NodeName={name} Arch=x86_64 CoresPerSocket=1 CPUAlloc={cpus if is_allocated else 0} CPUEfctv={cpus} "
        f"CPUTot={cpus} CPULoad=2.47 Gres={gres} GresDrain=N/A GresUsed={used} NodeHostName={name} "
        f"RealMemory=2000000 AllocMem=0 FreeMem=17719 State={words.get(state, 'DOWN*')} "
        f"ThreadsPerCore=1 Weight=1 Partitions={queue} \n"
    )


def _squeue_line(life: Life, job: Job, minute: float) -> str:
    cpus = _cpus(life.content["queues"][job.queue]["instance_type"])
    nodes = len(job.nodes) or job.wants
    gres = _gres(life, job.queue)
    per_node = "N/A" if gres == "(null)" else f"gres/{gres}"
    running = job.state == "RUNNING"
    fields = {
        "State": job.state, "Partition": job.queue, "UserName": job.user, "NumCPUs": nodes * cpus, "NumNodes": nodes,
        "NumTasks": nodes, "tres-alloc": f"cpu={nodes * cpus},node={nodes},billing={nodes * cpus}",
        "tres-per-job": "N/A", "tres-per-node": per_node, "tres-per-task": "N/A", "Reason": job.reason,
        "Account": job.account, "JobArrayID": job.id, "NodeList": ",".join(job.nodes), "Name:64": f"{job.name:64}",
        "TimeUsed": _time_used(int(minute - job.from_m)) if running else "0:00",
        "EndTime": f"{life.at(job.from_m) + _LIMIT_S:.0f}" if running else "N/A",
    }  # fmt: skip
    alike, who = (_FIELD.join(str(fields[name]) for name in names) for names in (FIELDS, ID_FIELDS))
    return f"{alike}{_END}{_FIELD}{who}{_END}\n"


def _time_used(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    return f"{hours}:{rest:02}:00" if hours else f"{rest}:00" if rest else "0:30"
