"""The files of Amazon EKS: the configuration of eksctl, launch templates, manifests, and tests as MPIJobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.document.write import yaml_text
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.platforms.eks.rendering.job_pods import job_pod, launch_with_type
from trainyard.platforms.eks.rendering.launch_templates import (
    launch_template_parameters,
    launch_templates,
    needs_launch_templates,
)
from trainyard.platforms.eks.rendering.manifests import manifest_texts as manifests
from trainyard.render.bench.job import BenchJob
from trainyard.render.bench.mpi_job import mpi_job
from trainyard.render.bench.plan import container_image
from trainyard.render.cloudformation.stack import Stack, StackKind, stack_of
from trainyard.render.collection import instance_documents as collection
from trainyard.render.node_image import NodeImage
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

NODES = StackKind(
    id="nodes",
    contents="launch templates of nodes",
    file="launch templates of node groups",
    making="The launch templates of node groups that eksctl's own would not fit:",
)


def cluster_documents(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the configuration that eksctl reads."""
    return {"cluster.yaml": cluster(spec, ids)}


def stacks(spec: Spec, ids: Ids) -> Sequence[Stack]:
    """Return the launch templates of node groups that eksctl's own would not fit, nothing where all fit."""
    if not needs_launch_templates(spec):
        return ()
    parameters = launch_template_parameters(spec, ids)
    return (stack_of(spec, NODES, launch_templates(spec), parameters),)


def container_images(spec: Spec) -> dict[str, bytes]:
    """Return nothing: pods run the images of others."""
    del spec
    return {}


def node_images(spec: Spec) -> tuple[NodeImage, ...]:
    """Return nothing: nodes boot an image of EKS, and all that jobs need is in pods."""
    del spec
    return ()


def node_image_config(spec: Spec, image: NodeImage, ids: Ids, parent: str) -> dict[str, Any]:
    """Return nothing: there is no image to build."""
    del spec, image, ids, parent
    return {}


def bench_file_name(job: BenchJob) -> str:
    """Return the name of an MPIJob's file."""
    return f"{job.id}.yaml"


def bench_files(spec: Spec, jobs: Sequence[BenchJob]) -> dict[str, bytes]:
    """Return the MPIJobs, nothing where no operator would run them. What they mount is among the manifests."""
    if "mpi-operator" not in spec.eks.operators:
        return {}
    return {bench_file_name(job): yaml_text(mpi_job_of(spec, job), blocks=True).encode() for job in jobs}


def mpi_job_of(spec: Spec, job: BenchJob) -> dict[str, Any]:
    """Return a test as an MPIJob, with the spec's image or AWS's."""
    image = spec.eks.nccl_image or container_image(spec).replace("#", "/")
    return mpi_job(job, image, job_pod(launch_with_type(spec, job.queue, job.instance_type)))
