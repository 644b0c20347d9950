"""The files of ParallelCluster: its configuration, what its head node collects metrics with, and jobs of Slurm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.monitoring.prometheus_config import head_node_config
from trainyard.platforms.parallelcluster.rendering.cluster import cluster
from trainyard.platforms.parallelcluster.rendering.image import image_config as node_image_config
from trainyard.platforms.parallelcluster.rendering.image import node_images
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.sbatch import DIRECT_FILE, direct_text, sbatch_text, scripts
from trainyard.render.cloudformation.stack import Stack
from trainyard.render.collection import HEAD_NODE, instance_documents, write_url
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

__all__ = [
    "bench_file_name",
    "bench_files",
    "cluster_documents",
    "collection",
    "container_images",
    "manifests",
    "node_image_config",
    "node_images",
    "stacks",
]


def cluster_documents(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the configuration that pcluster reads."""
    return {"cluster.yaml": cluster(spec, ids)}


def collection(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return what Prometheus on the head node reads, and on the monitoring instance where there is one."""
    url = write_url(spec, ids)
    config = None if url is None else head_node_config(spec, url)
    return {**({} if config is None else {HEAD_NODE: config}), **instance_documents(spec, ids)}


def manifests(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return nothing: there is no Kubernetes."""
    del spec, ids
    return {}


def stacks(spec: Spec, ids: Ids) -> Sequence[Stack]:
    """Return nothing: ParallelCluster makes its stacks itself."""
    del spec, ids
    return ()


def container_images(spec: Spec) -> dict[str, bytes]:
    """Return nothing: nodes import the images of others."""
    del spec
    return {}


def bench_file_name(job: BenchJob) -> str:
    """Return the name of a batch script."""
    return f"{job.id}.sbatch"


def bench_files(spec: Spec, jobs: Sequence[BenchJob]) -> dict[str, bytes]:
    """Return the batch scripts, and the scripts that do their work."""
    texts = {bench_file_name(job): sbatch_text(job, spec) for job in jobs}
    if (direct := _direct(jobs)) is not None:
        texts[DIRECT_FILE] = direct_text(direct, spec)
    return {**{name: text.encode() for name, text in texts.items()}, **scripts()}


def _direct(jobs: Sequence[BenchJob]) -> BenchJob | None:
    """Return the job whose sizes the direct way has: the all-reduce on two nodes, or on one where there is one."""
    bare = [job for job in jobs if job.container is None and job.binary == "all_reduce_perf" and job.phase <= 2]
    return next((job for job in bare if job.nodes == 2), next(iter(bare), None))
