"""A job queue of AWS Batch. It is switched off before it is deleted, and its jobs end with it."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Batch::JobQueue"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    asked = in_words_of_api("batch", "CreateJobQueue", resource.properties)
    asked.setdefault("jobQueueName", resource.name[-128:])
    arn = aws.client("batch").create_job_queue(**asked)["jobQueueArn"]
    return PhysicalResource(arn, {"JobQueueArn": arn})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
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


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_job_queue(jobQueue=physical.id, state="DISABLED")
    aws.client("batch").delete_job_queue(jobQueue=physical.id)
