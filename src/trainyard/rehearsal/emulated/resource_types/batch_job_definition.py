"""A job definition of AWS Batch. A change registers another revision, and the former one is deregistered."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Batch::JobDefinition"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Register it."""
    asked = in_words_of_api("batch", "RegisterJobDefinition", resource.properties)
    asked.setdefault("jobDefinitionName", resource.name[-128:])
    arn = aws.client("batch").register_job_definition(**asked)["jobDefinitionArn"]
    return PhysicalResource(arn, {"JobDefinitionArn": arn})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Register another revision in place of the former one."""
    new = create(aws, resource)
    delete(aws, physical)
    return new


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Deregister it."""
    aws.client("batch").deregister_job_definition(jobDefinition=physical.id)
