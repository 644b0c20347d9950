"""AWS Batch: environments, queues and job definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceType


def _create_compute_environment(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    request = in_words_of_api("batch", "CreateComputeEnvironment", resource.properties)
    request.setdefault("computeEnvironmentName", resource.name[-128:])
    arn = aws.client("batch").create_compute_environment(**request)["computeEnvironmentArn"]
    return PhysicalResource(arn, {"ComputeEnvironmentArn": arn})


def _update_compute_environment(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it in place, as ReplaceComputeEnvironment: false asks for."""
    request = in_words_of_api("batch", "UpdateComputeEnvironment", resource.properties)
    aws.client("batch").update_compute_environment(**{**request, "computeEnvironment": physical.id})
    return physical


def _delete_compute_environment(aws: Aws, physical: PhysicalResource) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_compute_environment(computeEnvironment=physical.id, state="DISABLED")
    aws.client("batch").delete_compute_environment(computeEnvironment=physical.id)


def _read_compute_environment(aws: Aws, physical: PhysicalResource) -> Mapping[str, Any] | None:
    listed = aws.client("batch").describe_compute_environments(computeEnvironments=[physical.id])
    described = next(iter(listed["computeEnvironments"]), None)
    if described is None:
        return None
    sizes = {"MinvCpus": "minvCpus", "MaxvCpus": "maxvCpus", "AllocationStrategy": "allocationStrategy"}
    resources = described.get("computeResources", {})
    shown = {name: resources[key] for name, key in sizes.items() if key in resources}
    return {"State": described["state"], "ComputeResources": shown}


def _create_job_queue(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    request = in_words_of_api("batch", "CreateJobQueue", resource.properties)
    request.setdefault("jobQueueName", resource.name[-128:])
    arn = aws.client("batch").create_job_queue(**request)["jobQueueArn"]
    return PhysicalResource(arn, {"JobQueueArn": arn})


def _update_job_queue(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it, with its tags."""
    client = aws.client("batch")
    client.update_job_queue(
        **{**in_words_of_api("batch", "UpdateJobQueue", resource.properties), "jobQueue": physical.id}
    )
    former = dict((physical.logical and physical.logical.properties.get("Tags")) or {})
    tags = dict(resource.properties.get("Tags") or {})
    if gone := [key for key in former if key not in tags]:
        client.untag_resource(resourceArn=physical.id, tagKeys=gone)
    if tags:
        client.tag_resource(resourceArn=physical.id, tags=tags)
    return physical


def _delete_job_queue(aws: Aws, physical: PhysicalResource) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_job_queue(jobQueue=physical.id, state="DISABLED")
    aws.client("batch").delete_job_queue(jobQueue=physical.id)


def _create_job_definition(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Register it."""
    request = in_words_of_api("batch", "RegisterJobDefinition", resource.properties)
    request.setdefault("jobDefinitionName", resource.name[-128:])
    arn = aws.client("batch").register_job_definition(**request)["jobDefinitionArn"]
    return PhysicalResource(arn, {"JobDefinitionArn": arn})


def _update_job_definition(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Register another revision in place of the former one."""
    new = _create_job_definition(aws, resource)
    _delete_job_definition(aws, physical)
    return new


def _delete_job_definition(aws: Aws, physical: PhysicalResource) -> None:
    """Deregister it."""
    aws.client("batch").deregister_job_definition(jobDefinition=physical.id)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::Batch::ComputeEnvironment": ResourceType(
        _create_compute_environment,
        _delete_compute_environment,
        _update_compute_environment,
        read=_read_compute_environment,
    ),
    "AWS::Batch::JobQueue": ResourceType(_create_job_queue, _delete_job_queue, _update_job_queue),
    "AWS::Batch::JobDefinition": ResourceType(_create_job_definition, _delete_job_definition, _update_job_definition),
}
