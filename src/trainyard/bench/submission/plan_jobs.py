"""The jobs of `bench plan`, as they are submitted."""

from __future__ import annotations

from trainyard.bench.submission.job import Job
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.files import mpi_job_of, scripts
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.plan import jobs_for
from trainyard.render.bench.sbatch import sbatch_text
from trainyard.spec.cluster import Spec


def planned_jobs(spec: Spec, phases: tuple[int, ...] = (), *, container: bool = False) -> tuple[Job, ...]:
    """Return the jobs of a spec, those of some phases where any are named; ``container`` makes them those of one."""
    of_platform = {"batch": _batch_job, "eks": _mpi_job}.get(spec.platform)  # where everything is in containers
    made = jobs_for(spec, container=container and of_platform is None)
    return tuple((of_platform or _job)(one, spec) for one in made if not phases or one.phase in phases)


def _job(job: BenchJob, spec: Spec) -> Job:
    script = f"{job.id}.sbatch"
    files = {**{name: content.decode() for name, content in scripts().items()}, script: sbatch_text(job, spec)}
    return Job(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, script, files
    )  # fmt: skip


def _batch_job(job: BenchJob, spec: Spec) -> Job:
    request = submit_job(job, job_queue(spec, job.queue), job_definition(spec, job.queue, "nccl"))
    return Job(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, "", {},
        request=request,
    )  # fmt: skip


def _mpi_job(job: BenchJob, spec: Spec) -> Job:
    return Job(
        job.id, job.title, "nccl-tests", job.nodes, job.queue, job.instance_type, job.time_limit_min, "", {},
        request=mpi_job_of(spec, job),
    )  # fmt: skip
