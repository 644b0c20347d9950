"""The files of a bundle's folder bench/: the jobs, and the scripts that do their work."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.document.write import yaml_text
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.platforms.eks.rendering.job_pods import group_of, job_pod
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.mpi_job import mpi_job
from trainyard.render.bench.plan import container_image, jobs_for
from trainyard.render.bench.sbatch import DIRECT_FILE, direct_text, sbatch_text
from trainyard.spec.cluster import Spec

ASSETS = Path(__file__).with_name("assets")


def bench_files(spec: Spec) -> dict[str, bytes]:
    """Return the files of the folder by their names in it: those of containers too where the spec has them."""
    in_containers = spec.platform == "parallelcluster" and spec.software.containers
    return files_of(spec, (*jobs_for(spec), *(jobs_for(spec, container=True) if in_containers else ())))


def files_of(spec: Spec, jobs: Iterable[BenchJob]) -> dict[str, bytes]:
    """Return the files of jobs by their names: one for each, and what they need beside them."""
    listed = tuple(jobs)
    if not listed:
        return {}
    if spec.platform == "batch":
        return {file_name(spec.platform, job): _submission(spec, job) for job in listed}
    if spec.platform == "eks":
        return _mpi_jobs(spec, listed)
    texts = {file_name(spec.platform, job): sbatch_text(job, spec) for job in listed}
    if (direct := _direct(listed)) is not None:
        texts[DIRECT_FILE] = direct_text(direct, spec)
    return {**{name: text.encode() for name, text in texts.items()}, **scripts()}


def file_name(platform: str, job: BenchJob) -> str:
    """Return the name of a job's file: a batch script, what SubmitJob is given, or an MPIJob."""
    endings = {"parallelcluster": "sbatch", "batch": "json", "eks": "yaml"}
    return f"{job.id}.{endings[platform]}"


def _submission(spec: Spec, job: BenchJob) -> bytes:
    submitted = submit_job(job, job_queue(spec, job.queue), job_definition(spec, job.queue, "nccl"))
    return (json.dumps(submitted, indent=2) + "\n").encode()


def _mpi_jobs(spec: Spec, jobs: tuple[BenchJob, ...]) -> dict[str, bytes]:
    """Return the MPIJobs, nothing where no operator would run them. What they mount is among the manifests."""
    if "mpi-operator" not in spec.eks.operators:
        return {}
    return {file_name(spec.platform, job): yaml_text(mpi_job_of(spec, job), blocks=True).encode() for job in jobs}


def mpi_job_of(spec: Spec, job: BenchJob) -> dict[str, Any]:
    """Return a test as an MPIJob for nodes of a spec, with the spec's image or AWS's."""
    image = spec.eks.nccl_image or container_image(spec).replace("#", "/")
    return mpi_job(job, image, job_pod(group_of(spec, job.queue, job.instance_type)))


@cache
def scripts() -> dict[str, bytes]:
    """Return the scripts that every job needs beside it, by name."""
    return {file.name: file.read_bytes() for file in sorted(ASSETS.glob("*.sh"))}


def _direct(jobs: tuple[BenchJob, ...]) -> BenchJob | None:
    """Return the job whose sizes the direct way has: the all-reduce on two nodes, or on one where there is one."""
    bare = [job for job in jobs if job.container is None and job.binary == "all_reduce_perf" and job.phase <= 2]
    return next((job for job in bare if job.nodes == 2), next(iter(bare), None))
