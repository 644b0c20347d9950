"""A compute environment of AWS Batch. It is switched off before it is deleted."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Batch::ComputeEnvironment"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    asked = in_words_of_api("batch", "CreateComputeEnvironment", resource.properties)
    asked.setdefault("computeEnvironmentName", resource.name[-128:])
    arn = aws.client("batch").create_compute_environment(**asked)["computeEnvironmentArn"]
    return PhysicalResource(arn, {"ComputeEnvironmentArn": arn})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it in place, as ReplaceComputeEnvironment: false asks for."""
    asked = in_words_of_api("batch", "UpdateComputeEnvironment", resource.properties)
    aws.client("batch").update_compute_environment(**{**asked, "computeEnvironment": physical.id})
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_compute_environment(computeEnvironment=physical.id, state="DISABLED")
    aws.client("batch").delete_compute_environment(computeEnvironment=physical.id)
