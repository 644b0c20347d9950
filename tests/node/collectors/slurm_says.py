"""What Slurm says when it is asked in other ways than the collector asks it: one node, one state at a time."""

from __future__ import annotations

from collections import Counter

from tests.slurm import Slurm

Labels = tuple[tuple[str, str], ...]
Figures = dict[tuple[str, Labels], float]

_STATES = {
    "alloc": "alloc",
    "comp": "comp",
    "down": "down",
    "drain": "drain",
    "drng": "drain",
    "idle": "idle",
    "mix": "mix",
}


def figures(slurm: Slurm) -> Figures:
    """Return what is to be exported, but for times."""
    found: Figures = {}
    for part in (_nodes(slurm), _cpus(slurm), _each_node(slurm), _partitions(slurm), _jobs(slurm)):
        found.update(part)
    return found


def _put(found: Figures, name: str, value: float, **labels: str) -> None:
    found[name, tuple(sorted(labels.items()))] = value


def _rows(slurm: Slurm, *command: str) -> list[list[str]]:
    return [line.split("|") for line in slurm.run(*command).splitlines()]


def _nodes(slurm: Slurm) -> Figures:
    found: Figures = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for state, partition, features in _rows(slurm, "sinfo", "-a", "-h", "-N", "--format=%t|%R|%b"):
        here = (partition, features.replace("(null)", ""))
        counts[(*here, _STATES[state.rstrip("~#%*")])] += 1
        if state.endswith("~"):
            counts[(*here, "powered_down")] += 1
        if state.endswith("#"):
            counts[(*here, "powering_up")] += 1
    for (partition, features, state), count in counts.items():
        _put(found, f"slurm_nodes_{state}", count, partition=partition, active_feature_set=features)
    _put(found, "slurm_nodes_total", len(set(slurm.run("sinfo", "-a", "-h", "-N", "--format=%N").splitlines())))
    return found


def _cpus(slurm: Slurm) -> Figures:
    found: Figures = {}
    (words,) = slurm.run("sinfo", "-a", "-h", "--format=%C").splitlines()
    for kind, count in zip(("alloc", "idle", "other", "total"), words.split("/"), strict=True):
        _put(found, f"slurm_cpus_{kind}", int(count))
    return found


def _each_node(slurm: Slurm) -> Figures:
    found: Figures = {}
    for name in set(slurm.run("sinfo", "-a", "-h", "-N", "--format=%N").splitlines()):
        for partition, status, cpus, memory in _rows(
            slurm, "sinfo", "-a", "-h", "-N", f"--nodes={name}", "--format=%R|%T|%C|%m"
        ):
            labels = {"node": name, "partition": partition}
            _put(found, "slurm_node_status", 1, status=status, **labels)
            _put(found, "slurm_node_mem_total", int(memory), **labels)
            for kind, count in zip(("alloc", "idle", "other", "total"), cpus.split("/"), strict=True):
                _put(found, f"slurm_node_cpu_{kind}", int(count), **labels)
    return found


def _partitions(slurm: Slurm) -> Figures:
    found: Figures = {}
    for partition, up, cpus in _rows(slurm, "sinfo", "-a", "-h", "--format=%R|%a|%C"):
        _put(found, "slurm_partition_up", int(up == "up"), partition=partition)
        for kind, count in zip(("allocated", "idle", "other", "total"), cpus.split("/"), strict=True):
            _put(found, f"slurm_partition_cpus_{kind}", int(count), partition=partition)
        for state in ("pending", "running"):
            jobs = slurm.run("squeue", "-a", "-r", "-h", f"--partition={partition}", f"--states={state}", "--format=%i")
            _put(found, f"slurm_partition_jobs_{state}", len(jobs.splitlines()), partition=partition)
    return found


def _jobs(slurm: Slurm) -> Figures:
    found: Figures = {}
    for state in ("pending", "running", "failed", "completed", "cancelled", "suspended", "node_fail", "timeout"):
        rows = _rows(slurm, "squeue", "-a", "-r", "-h", f"--states={state}", "--format=%u|%P|%C|%r")
        _put(found, f"slurm_jobs_{state}", len(rows))
        if state in ("pending", "running"):
            _put(found, f"slurm_jobs_cores_{state}", sum(int(row[2]) for row in rows))
        if state in ("pending", "running", "suspended"):
            for user, count in Counter(row[0] for row in rows).items():
                _put(found, f"slurm_user_jobs_{state}", count, user=user)
            for account, count in Counter(_accounts(slurm, state)).items():
                _put(found, f"slurm_account_jobs_{state}", count, account=account)
        queue: Counter[Labels] = Counter()
        for user, partitions, _, reason in rows:
            for partition in partitions.split(","):
                more = {"reason": reason} if state == "pending" else {}
                queue[tuple(sorted({"user": user, "partition": partition, **more}.items()))] += 1
        found.update({(f"slurm_queue_{state}", labels): count for labels, count in queue.items()})
    return found


def _accounts(slurm: Slurm, state: str) -> list[str]:
    """Return the account of each job: apart from all else, as it may hold line breaks."""
    said = slurm.run("squeue", "-a", "-r", "-h", f"--states={state}", "--Format=Account:\x1d")
    return said.rstrip("\x1d").split("\x1d\n") if said else []
