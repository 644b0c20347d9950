"""A job definition of AWS Batch. A change registers another revision, and the former one is deregistered."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Batch::JobDefinition"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Register it."""
    asked = in_words_of_api("batch", "RegisterJobDefinition", wanted.properties)
    asked.setdefault("jobDefinitionName", wanted.name[-128:])
    arn = aws.client("batch").register_job_definition(**asked)["jobDefinitionArn"]
    return Made(arn, {"JobDefinitionArn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Register another revision in place of the former one."""
    new = create(aws, wanted)
    delete(aws, made)
    return new


def delete(aws: Aws, made: Made) -> None:
    """Deregister it."""
    aws.client("batch").deregister_job_definition(jobDefinition=made.id)
