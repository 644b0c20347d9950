"""A compute environment of AWS Batch. It is switched off before it is deleted."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Batch::ComputeEnvironment"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = in_words_of_api("batch", "CreateComputeEnvironment", wanted.properties)
    asked.setdefault("computeEnvironmentName", wanted.name[-128:])
    arn = aws.client("batch").create_compute_environment(**asked)["computeEnvironmentArn"]
    return Made(arn, {"ComputeEnvironmentArn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change it in place, as ReplaceComputeEnvironment: false asks for."""
    asked = in_words_of_api("batch", "UpdateComputeEnvironment", wanted.properties)
    aws.client("batch").update_compute_environment(**{**asked, "computeEnvironment": made.id})
    return made


def delete(aws: Aws, made: Made) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_compute_environment(computeEnvironment=made.id, state="DISABLED")
    aws.client("batch").delete_compute_environment(computeEnvironment=made.id)
