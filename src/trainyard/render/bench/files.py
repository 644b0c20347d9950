"""The files of a bundle's folder bench/: the jobs, and the scripts that do their work."""

from __future__ import annotations

from collections.abc import Iterable

from trainyard.platform_table import platform_of
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.plan import jobs_for
from trainyard.spec.cluster import Spec


def bench_files(spec: Spec) -> dict[str, bytes]:
    """Return the files of the folder by their names in it: those of containers too where the spec has them."""
    in_containers = platform_of(spec).runs_tests_in_containers and spec.software.containers
    return files_of(spec, (*jobs_for(spec), *(jobs_for(spec, container=True) if in_containers else ())))


def files_of(spec: Spec, jobs: Iterable[BenchJob]) -> dict[str, bytes]:
    """Return the files of jobs by their names: one for each, and what they need beside them."""
    listed = tuple(jobs)
    return platform_of(spec).rendering().bench_files(spec, listed) if listed else {}
