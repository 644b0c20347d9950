"""Planning bandwidth tests: the jobs of a spec, as files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trainyard.checking.spec_file import FileFindings, check_file
from trainyard.edge.bundle_folder import WrittenBundle, write_folder
from trainyard.errors import SpecError, TrainyardError
from trainyard.platform_table import platform_of
from trainyard.render.bench.gpu_nodes import queues_without_test
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.plan import files_of, jobs_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.render.bench.job import Phase
    from trainyard.spec.cluster import Spec

__all__ = ["BenchJob", "BenchPlan", "plan_bench"]


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The jobs of a spec. Where the spec has errors there are none, and ``written`` is None."""

    checked: FileFindings
    jobs: tuple[BenchJob, ...]
    left_out: tuple[str, ...]
    """Queues without jobs, each with the reason."""
    files: tuple[str, ...]
    """Names in the folder."""
    written: WrittenBundle | None
    file_of: Mapping[str, str]
    """The name of a job's file in the folder, by the id of the job."""


def plan_bench(
    file: str, folder: Path | None = None, *, phase: Phase | None = None, container: bool = False, force: bool = False
) -> BenchPlan:
    """Check a spec file and write the jobs of its cluster, by default into build/NAME-bench.

    ``phase`` chooses one of the four, ``container`` runs the tests in a container.
    Raises FindingsError where the file is no spec, InputError where the folder must not be replaced, TrainyardError
    where it cannot be written, or where nothing in the spec can be measured.
    """
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return BenchPlan(checked, (), (), (), None, {})
    spec = checked.parsed.spec
    jobs = _jobs(spec, file, phase, container=container)
    files = files_of(spec, jobs)
    written = write_folder(folder or Path("build") / f"{spec.name}-bench", files, force=force)
    file_of = {job.id: platform_of(spec).rendering().bench_file_name(job) for job in jobs}
    return BenchPlan(checked, jobs, tuple(queues_without_test(spec)), tuple(sorted(files)), written, file_of)


def _jobs(spec: Spec, file: str, phase: Phase | None, *, container: bool) -> tuple[BenchJob, ...]:
    platform = platform_of(spec)
    if platform.scheduler is None:
        hint = "name the spec of a cluster in it"
        raise TrainyardError("an environment has no nodes to measure", where=file, hint=hint)
    if not platform.bench_submission().has_mpi(spec):
        hint = "bandwidth tests are MPIJobs there: add mpi-operator to it"
        raise TrainyardError(f"{spec.name} has no MPI operator to run tests", where=f"{file}: eks.operators", hint=hint)
    every = jobs_for(spec, container=container and platform.has_slurm)  # elsewhere everything is in one
    if not every:
        hint = "NCCL is measured on nodes with at least two NVIDIA GPUs between them"
        raise TrainyardError(f"nothing to measure: {'; '.join(queues_without_test(spec))}", where=file, hint=hint)
    jobs = tuple(job for job in every if phase in {None, job.phase})
    if not jobs:
        hint = "phase 1 is within a node, phases 2 to 4 are for nodes that exchange data"
        raise TrainyardError(f"no job of phase {phase} fits the nodes of this spec", where=file, hint=hint)
    return jobs
