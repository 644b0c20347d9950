"""The files of AWS Batch: the stack that is the cluster, the agent beside it, images of its jobs, and its tests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from trainyard.errors import TrainyardError
from trainyard.platforms.batch.rendering.collection import batch_config
from trainyard.platforms.batch.rendering.container_images import pushed_images
from trainyard.platforms.batch.rendering.names import job_definition, job_queue
from trainyard.platforms.batch.rendering.node import node_of
from trainyard.platforms.batch.rendering.queue_slots import queue_slots
from trainyard.render.bench.batch_job import submit_job
from trainyard.render.bench.job import BenchJob
from trainyard.render.cloudformation.iam import CAPABILITIES, iam_names
from trainyard.render.cloudformation.stack import IN_S3_BYTES, Stack, StackKind, fits_inline, stack_of, with_resources
from trainyard.render.collection import AGENT, write_url
from trainyard.render.launch_template import launch_parameters, root_volume_parameters
from trainyard.render.networking import queue_subnets, security_groups
from trainyard.render.node_image import NodeImage
from trainyard.render.repeated_sections import for_each_queue
from trainyard.render.slots import without_comments
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs
from trainyard.spec.queue import Queue

CLUSTER = StackKind(
    id="batch",
    contents="compute environments and job queues",
    file="the cluster: compute environments, job queues, job definitions and a registry for images",
    making=None,
)
_INSIGHTS = {"none": "DISABLED", "standard": "ENABLED", "enhanced": "ENHANCED"}


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


def batch_template(spec: Spec) -> str:
    """Return the text: without comments where it fits into a request only so, otherwise with them.

    Raises TrainyardError where it is too long even for S3, or a type is not known well enough.
    """
    text = _whole(spec, native_template(), dense=False)
    if not fits_inline(text):
        dense = _whole(spec, without_comments(native_template()), dense=True)
        text = dense if fits_inline(dense) else text
    text = with_resources(text, spec.batch.overlay)
    if len(text.encode()) > IN_S3_BYTES:
        raise TrainyardError(
            f"the template of {len(spec.queues)} queues has {len(text.encode()):,} bytes, and CloudFormation takes "
            f"{IN_S3_BYTES:,}",
            where="queues",
            hint="make two clusters of it, which may share an environment",
        )
    return text


@cache
def native_template() -> str:
    """Return the file as it lies in the package, with marks, comments and empty texts."""
    return Path(__file__).with_name("batch.yaml").read_text(encoding="utf-8")


def _whole(spec: Spec, native: str, *, dense: bool) -> str:
    return for_each_queue(native, {queue.name: queue_slots(spec, queue, dense=dense) for queue in spec.queues})


def batch_parameters(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return them, as far as the spec decides them: those of all queues first."""
    parameters = _of_all(spec, ids)
    for number, queue in enumerate(spec.queues, 1):
        own = _of_queue(spec, queue, ids)
        parameters |= own if number == 1 else {f"{name}{number}": value for name, value in own.items()}
    return parameters


def _of_all(spec: Spec, ids: Ids) -> dict[str, str]:
    batch, monitoring = spec.batch, spec.monitoring
    optional = {
        "EC2KeyPair": spec.access.ssh_key,
        "NodePolicies": ",".join(spec.iam.policies) or None,
        "JobPolicies": ",".join(batch.job_policies) or None,
        "FileSystems": " ".join(_file_systems(spec, ids)) or None,
        "StressImage": batch.stress_image,
        "NcclImage": batch.nccl_image if any(node_of(spec, queue).gpus for queue in spec.queues) else None,
        "PytorchImage": batch.pytorch_image,
        "KmsKeyArn": spec.iam.kms_key,
        "PermissionsBoundary": spec.iam.permissions_boundary,
    }
    return {
        "ClusterName": spec.name,
        "SecurityGroups": ",".join(security_groups(spec, "Compute", ids)["AdditionalSecurityGroups"]),
        **{name: value for name, value in optional.items() if value is not None},
        "ScratchMount": spec.scratch.mount,
        "JobAttempts": str(batch.job_attempts),
        "LogRetentionDays": str(monitoring.log_retention_days),
        "ContainerInsights": _INSIGHTS[batch.container_insights],
        "DetailedMonitoring": str(monitoring.detailed).lower(),
        "Dashboard": str(monitoring.dashboard).lower(),
        **iam_names(spec),
    }


def _file_systems(spec: Spec, ids: Ids) -> Iterator[str]:
    """Yield what nodes mount. EFS is no part of it: ECS mounts that into the containers."""
    numbers = dict.fromkeys(("lustre", "openzfs"), 0)
    outputs = {"lustre": "FSxLustreFilesystemId", "openzfs": "FSxORootVolumeId"}
    for file_system in spec.file_systems:
        if not isinstance(file_system.settings, Lustre | OpenZfs):
            continue
        id_ = file_system.settings.id
        if id_ in (None, "environment"):
            numbers[file_system.kind] += 1
            id_ = ids.of(outputs[file_system.kind], number=numbers[file_system.kind])
        yield f"{file_system.kind}:{id_}:{file_system.mount}"


def _of_queue(spec: Spec, queue: Queue, ids: Ids) -> dict[str, str]:
    node = node_of(spec, queue)
    launch = node.launch
    return {
        "QueueName": queue.name,
        "Subnets": ",".join(queue_subnets(spec, queue, ids)),
        **({} if launch.image is None else {"AMI": launch.image}),
        **launch_parameters(launch, ids),
        "MinvCpus": str(launch.min_nodes * node.vcpus),
        "MaxvCpus": str(launch.max_nodes * node.vcpus),
        "HugePages": str(node.huge_pages),
        **root_volume_parameters(queue.root_volume),
    }
