"""The files of AWS Batch: the stack that is the cluster, the agent beside it, images of its jobs, and its tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from trainyard.platforms.batch.rendering.collection import batch_config
from trainyard.platforms.batch.rendering.container_images import pushed_images
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.platforms.batch.rendering.parameters import batch_parameters
from trainyard.platforms.batch.rendering.template import batch_template
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.job import BenchJob
from trainyard.render.cloudformation.iam import CAPABILITIES
from trainyard.render.cloudformation.stack import Stack, StackKind, stack_of
from trainyard.render.collection import AGENT, write_url
from trainyard.render.node_image import NodeImage
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

CLUSTER = StackKind(
    id="batch",
    contents="compute environments and job queues",
    file="the cluster: compute environments, job queues, job definitions and a registry for images",
    making=None,
)


def cluster_documents(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return nothing: the cluster is a stack."""
    del spec, ids
    return {}


def collection(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return what an agent beside the compute environments reads, nothing where nothing is scraped."""
    url = write_url(spec, ids)
    return {} if url is None else {AGENT: batch_config(spec, url)}


def manifests(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return nothing: there is no Kubernetes."""
    del spec, ids
    return {}


def stacks(spec: Spec, ids: Ids) -> Sequence[Stack]:
    """Return the cluster. It has names for its roles only where the spec has a prefix for them."""
    parameters = batch_parameters(spec, ids)
    capabilities = CAPABILITIES if "IamNamePrefix" in parameters else ("CAPABILITY_IAM",)
    return (stack_of(spec, CLUSTER, batch_template(spec), parameters, capabilities),)


def container_images(spec: Spec) -> dict[str, bytes]:
    """Return what the images are built of that the registry of the cluster has to hold."""
    return {f"{image.name}/{name}": content for image in pushed_images(spec) for name, content in image.files().items()}


def node_images(spec: Spec) -> tuple[NodeImage, ...]:
    """Return nothing: nodes boot an image of ECS, and all that jobs need is in containers."""
    del spec
    return ()


def node_image_config(spec: Spec, image: NodeImage, ids: Ids, parent: str) -> dict[str, Any]:
    """Return nothing: there is no image to build."""
    del spec, image, ids, parent
    return {}


def bench_file_name(job: BenchJob) -> str:
    """Return the name of what SubmitJob is given."""
    return f"{job.id}.json"


def bench_files(spec: Spec, jobs: Sequence[BenchJob]) -> dict[str, bytes]:
    """Return what SubmitJob is given for each test."""
    return {bench_file_name(job): _submission(spec, job) for job in jobs}


def _submission(spec: Spec, job: BenchJob) -> bytes:
    request = submit_job(job, job_queue(spec, job.queue), job_definition(spec, job.queue, "nccl"))
    return (json.dumps(request, indent=2) + "\n").encode()
