"""Job queues. To delete one ends its jobs, and only a disabled one is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch import jobs
from trainyard.rehearsal.emulated.batch.state import arn, batch_state, find_resource, queue_of, refusal
from trainyard.rehearsal.emulated.resource import Aws


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateJobQueue.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateJobQueue.html
    """
    here, name = batch_state(aws.account_id, aws.region), request["jobQueueName"]
    if find_resource(here.queues, name, "jobQueueName") is not None:
        raise refusal(f"Object already exists: job queue {name}")
    _refuse_unknown_environments(aws, request)
    whole = arn(aws.account_id, aws.region, f"job-queue/{name}")
    here.queues[whole] = {
        "jobQueueArn": whole,
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "JobQueue Healthy",
        "tags": {},
        **request,
    }
    return {"jobQueueName": name, "jobQueueArn": whole}


def describe(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that are asked for, or all."""
    those = batch_state(aws.account_id, aws.region).queues
    names = request.get("jobQueues") or list(those)
    return [queue for name in names if (queue := find_resource(those, name, "jobQueueName")) is not None]


def update(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateJobQueue."""
    queue = queue_of(aws, request["jobQueue"])
    _refuse_unknown_environments(aws, request)
    queue |= {name: value for name, value in request.items() if name != "jobQueue"}
    return {name: queue[name] for name in ("jobQueueName", "jobQueueArn")}


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteJobQueue.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteJobQueue.html
    """
    queue = queue_of(aws, request["jobQueue"])
    if queue["state"] != "DISABLED":
        raise refusal("Cannot delete, job queue must be in the DISABLED state")
    jobs.end_all_of(aws, queue["jobQueueArn"], "The job queue was deleted")
    del batch_state(aws.account_id, aws.region).queues[queue["jobQueueArn"]]
    return {}


def _refuse_unknown_environments(aws: Aws, request: Mapping[str, Any]) -> None:
    here = batch_state(aws.account_id, aws.region).environments
    for order_entry in request.get("computeEnvironmentOrder", ()):
        if find_resource(here, order_entry["computeEnvironment"], "computeEnvironmentName") is None:
            raise refusal(f"Compute environment {order_entry['computeEnvironment']} does not exist")
