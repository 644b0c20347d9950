"""Job queues. To delete one ends its jobs, and only a disabled one is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch import jobs
from trainyard.rehearsal.emulated.batch.state import arn, batch_state, found, queue_of, refusal
from trainyard.rehearsal.emulated.resource import Aws


def create(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateJobQueue.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateJobQueue.html
    """
    here, name = batch_state(aws.account_id, aws.region), asked["jobQueueName"]
    if found(here.queues, name, "jobQueueName") is not None:
        raise refusal(f"Object already exists: job queue {name}")
    _refuse_unknown_environments(aws, asked)
    whole = arn(aws.account_id, aws.region, f"job-queue/{name}")
    here.queues[whole] = {
        "jobQueueArn": whole,
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "JobQueue Healthy",
        "tags": {},
        **asked,
    }
    return {"jobQueueName": name, "jobQueueArn": whole}


def describe(aws: Aws, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that are asked for, or all."""
    those = batch_state(aws.account_id, aws.region).queues
    wanted = asked.get("jobQueues") or list(those)
    return [one for name in wanted if (one := found(those, name, "jobQueueName")) is not None]


def update(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateJobQueue."""
    there = queue_of(aws, asked["jobQueue"])
    _refuse_unknown_environments(aws, asked)
    there |= {name: value for name, value in asked.items() if name != "jobQueue"}
    return {name: there[name] for name in ("jobQueueName", "jobQueueArn")}


def delete(aws: Aws, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteJobQueue.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteJobQueue.html
    """
    there = queue_of(aws, asked["jobQueue"])
    if there["state"] != "DISABLED":
        raise refusal("Cannot delete, job queue must be in the DISABLED state")
    jobs.end_all_of(aws, there["jobQueueArn"], "The job queue was deleted")
    del batch_state(aws.account_id, aws.region).queues[there["jobQueueArn"]]
    return {}


def _refuse_unknown_environments(aws: Aws, asked: Mapping[str, Any]) -> None:
    here = batch_state(aws.account_id, aws.region).environments
    for one in asked.get("computeEnvironmentOrder", ()):
        if found(here, one["computeEnvironment"], "computeEnvironmentName") is None:
            raise refusal(f"Compute environment {one['computeEnvironment']} does not exist")
