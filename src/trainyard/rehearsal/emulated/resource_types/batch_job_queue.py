"""A job queue of AWS Batch. It is switched off before it is deleted, and its jobs end with it."""

from __future__ import annotations

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Batch::JobQueue"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = in_words_of_api("batch", "CreateJobQueue", wanted.properties)
    asked.setdefault("jobQueueName", wanted.name[-128:])
    arn = aws.client("batch").create_job_queue(**asked)["jobQueueArn"]
    return Made(arn, {"JobQueueArn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change it, with its tags."""
    client = aws.client("batch")
    client.update_job_queue(**{**in_words_of_api("batch", "UpdateJobQueue", wanted.properties), "jobQueue": made.id})
    former = dict((made.wanted and made.wanted.properties.get("Tags")) or {})
    tags = dict(wanted.properties.get("Tags") or {})
    if gone := [key for key in former if key not in tags]:
        client.untag_resource(resourceArn=made.id, tagKeys=gone)
    if tags:
        client.tag_resource(resourceArn=made.id, tags=tags)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Switch it off and delete it."""
    aws.client("batch").update_job_queue(jobQueue=made.id, state="DISABLED")
    aws.client("batch").delete_job_queue(jobQueue=made.id)
