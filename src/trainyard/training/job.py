"""A run before a platform makes its job of it: what each node is told, the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from shlex import split
from typing import Any

from trainyard.counts import count_text
from trainyard.errors import InputError
from trainyard.launch.launch import Launch, launch_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.submission.job import PlannedJob
from trainyard.training.run import Run
from trainyard.training.run_file import group_of

_PROGRAMS = Path(__file__).with_name("programs")
PROGRESS, TRANSFORMER = "trainyard_progress.py", "transformer.py"
# AWS ends instances so long before the end of their block.
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html
BLOCK_MARGIN = timedelta(minutes=30)


def nodes_of(run: Run, spec: Spec) -> NodeGroup:
    """Return the nodes of a run. Raises InputError where there are none."""
    group = group_of(run, spec)
    if group is None:
        raise InputError(f"{spec.name} has no queue {run.queue}", where="queue", hint="`trainyard run check` says more")
    return group


def launch_of_run(run: Run, spec: Spec) -> Launch:
    """Return what the nodes of a run are launched as."""
    return launch_of(spec, nodes_of(run, spec))


def kubernetes_job(run: Run, spec: Spec) -> str:
    """Return which kind of job of Kubernetes a run is: as it says, or what the operators of the cluster take."""
    operators = spec.eks.operators
    has_only_job_sets = "jobset" in operators and "training-operator" not in operators
    return run.kubernetes_job or ("JobSet" if has_only_job_sets else "PyTorchJob")


def run_folder(run: Run) -> str:
    """Return the folder of the run. Raises InputError where it has no place for checkpoints."""
    if run.folder is None:
        hint = "write checkpoints with a folder on a shared file system"
        raise InputError(f"the run {run.name} has no place for checkpoints", where="checkpoints", hint=hint)
    return run.folder


def planned(
    run: Run,
    spec: Spec,
    *,
    script: str = "",
    files: Mapping[str, str] | None = None,
    request: Mapping[str, Any] | None = None,
) -> PlannedJob:
    """Return the job of a run as it is submitted."""
    group, minutes = nodes_of(run, spec), round(run.time_limit_h * 60) * (run.restarts.most + 1)
    queue = group.queue.name
    return PlannedJob(
        run.name, f"the run {run.name} on {count_text(run.nodes, 'node')} of {queue}", "training", run.nodes, queue,
        group.instance_type, minutes, script, files or {},
        request=request, requeued=run.restarts.most > 0,
    )  # fmt: skip


def words_of(run: Run, files: str) -> tuple[str, ...]:
    """Return what a node runs behind torchrun, or as a launch script; ``files`` is where the programs lie there."""
    program = run.program
    if program.template is None:
        return (*split(program.torchrun or program.script or ""), *program.arguments)
    assert run.checkpoints is not None  # noqa: S101  run_folder() has refused it
    return (
        f"{files}/{TRANSFORMER}", "--strategy", program.template, "--checkpoints", f"{run_folder(run)}/checkpoints",
        "--interval-s", f"{run.checkpoints.interval_min * 60:g}", "--keep", str(run.checkpoints.keep),
        *program.arguments,
    )  # fmt: skip


def processes_on_node(run: Run, launch: Launch) -> int:
    """Return how many processes a node has: one for each GPU unless the run says otherwise."""
    return run.program.processes_per_node or max(launch.instance.ranks, 1)


def programs(run: Run, *more: str) -> dict[str, str]:
    """Return what a run needs beside its program, text by name."""
    names = (PROGRESS, *((TRANSFORMER,) if run.program.template else ()), *more)
    return {name: (_PROGRAMS / name).read_text(encoding="utf-8") for name in names}


def variables(run: Run, launch: Launch) -> dict[str, str]:
    """Return the variables of every process: of the network, and then the run's own."""
    return {**_network(launch), **{name: str(value) for name, value in run.environment.items()}}


def watch_variables(run: Run) -> dict[str, str]:
    """Return what lets a process that hangs end itself, and show its progress, where no batch script watches it."""
    return {"TRAINYARD_HANG_S": f"{run.restarts.hang_min * 60:g}", "TRAINYARD_SHOW_S": "60"}


def reasons(launch: Launch) -> Mapping[str, str]:
    """Return why each variable of the network is set."""
    texts = {
        "FI_PROVIDER": "Without EFA the run fails at once, and does not go on over TCP: "
        "https://ofiwg.github.io/libfabric/main/man/fi_efa.7.html",
        "NCCL_SOCKET_IFNAME": "NCCL's own connections, not over bridges of containers: "
        "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html#nccl-socket-ifname",
    }
    return {name: texts[name] for name in _network(launch)}


def stop_time(run: Run) -> int | None:
    """Return the Unix time at which a run is told to end for its Capacity Block; None where there is none."""
    if run.block_ends is None:
        return None
    ends = datetime.fromisoformat(run.block_ends) - BLOCK_MARGIN - timedelta(minutes=run.restarts.before_end_min)
    return int(ends.timestamp())


def _network(launch: Launch) -> dict[str, str]:
    if launch.instance.accelerator is None:
        return {}
    return {**({"FI_PROVIDER": "efa"} if launch.instance.efa else {}), "NCCL_SOCKET_IFNAME": "^lo,docker,veth"}
