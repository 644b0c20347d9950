"""The jobs of `bench plan`, as they are submitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bench.submitting.job import Job
from trainyard.render.bench.files import scripts
from trainyard.render.bench.plan import jobs_for
from trainyard.render.bench.sbatch import sbatch_text

if TYPE_CHECKING:
    from trainyard.render.bench.job import BenchJob
    from trainyard.spec.cluster import Spec


def planned_jobs(spec: Spec, phases: tuple[int, ...] = (), *, container: bool = False) -> tuple[Job, ...]:
    """Return the jobs of a spec, those of some phases where any are named; ``container`` makes them those of one."""
    return tuple(_job(one, spec) for one in jobs_for(spec, container=container) if not phases or one.phase in phases)


def _job(job: BenchJob, spec: Spec) -> Job:
    script = f"{job.id}.sbatch"
    files = {**{name: content.decode() for name, content in scripts().items()}, script: sbatch_text(job, spec)}
    return Job(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, script, files
    )  # fmt: skip
