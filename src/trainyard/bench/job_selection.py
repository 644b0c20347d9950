"""The jobs of a spec that are submitted: those of `bench plan`, or a sweep of our own."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple, cast

from trainyard.catalog.instances import find
from trainyard.errors import InputError
from trainyard.platform_table import platform_of
from trainyard.render.bench.plan import jobs_for
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.submission.job import PlannedJob

Backend = Literal["tcp", "gloo", "nccl"]

_PROGRAMS = Path(__file__).parent / "programs"
_SWEEP = ("__init__.py", "__main__.py", "rendezvous.py", "ring.py", "table.py", "torch_group.py")


class JobSelection(NamedTuple):
    """Which jobs are meant. Empty means all."""

    phases: tuple[int, ...] = ()
    ids: tuple[str, ...] = ()
    container: bool = False
    """Whether nccl-tests runs in a container."""
    backend: str | None = None
    """A sweep of our own, in place of nccl-tests: tcp, gloo or nccl."""
    python: str | None = None
    """The interpreter on the nodes that such a sweep is run by."""


def selected_jobs(spec: Spec, selection: JobSelection, python: str) -> tuple[PlannedJob, ...]:
    """Return the jobs of a spec that are meant. Raises InputError where there are none, or one does not exist."""
    platform = platform_of(spec)
    if selection.backend is not None and not platform.has_slurm:
        problem = f"{spec.name} runs its tests on {platform.title}, where --backend has no meaning"
        raise InputError(problem, where="--backend", hint="leave it out, which runs nccl-tests")
    if not platform.bench_submission().has_mpi(spec):
        hint = "add mpi-operator to it, and deploy once more"
        raise InputError(f"{spec.name} has no MPI operator to run tests", where="eks.operators", hint=hint)
    if selection.backend is None:
        jobs = planned_jobs(spec, selection.phases, container=selection.container)
    else:
        jobs = sweep_jobs(spec, cast("Backend", selection.backend), python)
    if not jobs:
        hint = "`trainyard bench plan` lists the jobs"
        if platform.has_slurm:
            hint += "; --backend tcp or gloo measures nodes without GPUs"
        raise InputError(f"there is no bandwidth test to run on {spec.name}", where="--phase", hint=hint)
    jobs_by_id = {job.id: job for job in jobs}
    unknown = [id_ for id_ in selection.ids if id_ not in jobs_by_id]
    if unknown:
        near = get_close_matches(unknown[0], jobs_by_id, 3, 0) or list(jobs_by_id)[:3]
        raise InputError(f"there is no job {unknown[0]}", where="--only", hint=f"such as {', '.join(near)}")
    return tuple(jobs_by_id[id_] for id_ in jobs_by_id if not selection.ids or id_ in selection.ids)


def planned_jobs(spec: Spec, phases: tuple[int, ...] = (), *, container: bool = False) -> tuple[PlannedJob, ...]:
    """Return the jobs of `bench plan`, those of some phases where any are named; ``container`` runs them in one."""
    platform = platform_of(spec)
    planned = jobs_for(spec, container=container and platform.has_slurm)  # elsewhere everything is in one
    submission = platform.bench_submission()
    return tuple(submission.job(job, spec) for job in planned if not phases or job.phase in phases)


class _Way(NamedTuple):
    """How far a backend goes in a reasonable time, and how often."""

    end_bytes: int
    iterations: int
    warmup: int
    minutes: int


# The ring adds numbers in Python, some 10 million a second.
_WAYS: dict[Backend, _Way] = {
    "tcp": _Way(2**18, 10, 2, 10),
    "gloo": _Way(2**26, 20, 5, 15),
    "nccl": _Way(2**32, 20, 5, 20),
}

# Of the largest size: four buffers lie in a GPU at once, two more while one of them is filled, and torch wants some.
_BUFFERS = 8


def sweep_jobs(spec: Spec, backend: Backend, python: str) -> tuple[PlannedJob, ...]:
    """Return the jobs: node counts doubled up to all nodes of a kind, and for nccl the check of the GPUs before.

    The nodes are the first of the spec, or the first with GPUs. Raises InputError where the backend takes GPUs and no
    queue has any.
    """
    groups = list(spec.node_groups())
    group = next(filter(_gpus, groups), None) if backend == "nccl" else groups[0]
    if group is None:
        hint = "take --backend tcp or gloo, or a spec with a queue that has some"
        raise InputError("no queue of the spec has GPUs of NVIDIA", where="--backend nccl", hint=hint)
    alone = len(list(spec.groups_in(group.queue))) == 1
    place = (f"--partition={group.queue.name}", *(() if alone else (f"--constraint={group.name}",)))
    checks = (_gpu_check(group, place, python),) if backend == "nccl" else ()
    return (*checks, *(_sweep(group, place, backend, python, nodes) for nodes in _counts(group.max_nodes)))


def _sweep(group: NodeGroup, place: tuple[str, ...], backend: Backend, python: str, nodes: int) -> PlannedJob:
    way = _WAYS[backend]
    # One node alone has two ranks where there are no GPUs: one rank has nobody to exchange anything with.
    tasks = _gpus(group) if backend == "nccl" else 2 if nodes == 1 else 1
    gpus = (f"--gpus-per-node={tasks}",) if backend == "nccl" else ()
    files = {f"collective_sweep/{name}": _text(f"collective_sweep/{name}") for name in _SWEEP}
    return PlannedJob(
        f"sweep-{backend}-{nodes}n", f"all-reduce by {backend} on {nodes} nodes",
        "gpu-sweep" if backend == "nccl" else "cpu-sweep", nodes, group.queue.name, group.instance_type, way.minutes,
        "collective_sweep.sbatch", {**files, "collective_sweep.sbatch": _text("collective_sweep.sbatch")},
        (*place, *_size(nodes, way.minutes), f"--ntasks-per-node={tasks}", *gpus),
        (python, "--backend", backend, "--begin", "8", "--end", str(_end_bytes(group, backend)),
         "--iterations", str(way.iterations), "--warmup", str(way.warmup)),
    )  # fmt: skip


def _gpu_check(group: NodeGroup, place: tuple[str, ...], python: str) -> PlannedJob:
    files = {name: _text(name) for name in ("gpu_check.sbatch", "gpu_check.py")}
    nodes, minutes = group.max_nodes, 10
    return PlannedJob(
        "gpu-check", "each GPU by itself", "gpus", nodes, group.queue.name, group.instance_type, minutes,
        "gpu_check.sbatch", files, (*place, *_size(nodes, minutes), f"--gpus-per-node={_gpus(group)}"), (python,),
        nodes * _gpus(group),
    )  # fmt: skip


def _end_bytes(group: NodeGroup, backend: Backend) -> int:
    """Return the largest size: on GPUs as much as fits into the memory of one."""
    facts = find(group.instance_type)
    memory_mib = facts.accelerator_memory_mib if facts is not None else None
    most = _WAYS[backend].end_bytes
    if backend != "nccl" or memory_mib is None:
        return most
    fits = memory_mib * 2**20 // _BUFFERS
    return min(most, 1 << (fits.bit_length() - 1))


def _size(nodes: int, minutes: int) -> tuple[str, ...]:
    return (f"--nodes={nodes}", "--exclusive", f"--time={minutes}")


def _counts(most: int) -> Iterator[int]:
    nodes = min(2, most)
    while nodes < most:
        yield nodes
        nodes *= 2
    yield most


def _gpus(group: NodeGroup) -> int:
    """Return how many GPUs of NVIDIA a node has."""
    instance_type = find(group.instance_type)
    accelerators = instance_type.accelerators if instance_type is not None else None
    return accelerators.count if accelerators is not None and accelerators.vendor == "nvidia" else 0


def _text(name: str) -> str:
    return (_PROGRAMS / name).read_text(encoding="utf-8")
