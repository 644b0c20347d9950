"""What Batch holds of an account in a region, and how it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from moto.core.exceptions import JsonRESTError

from trainyard.rehearsal.emulated.resource import Aws


@dataclass(slots=True)
class BatchState:
    """Everything, as answers show it, by ARN or by the id of a job."""

    environments: dict[str, dict[str, Any]] = field(default_factory=dict)
    queues: dict[str, dict[str, Any]] = field(default_factory=dict)
    definitions: dict[str, dict[str, Any]] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)


_STATES: dict[tuple[str, str], BatchState] = {}


def batch_state(account_id: str, region: str) -> BatchState:
    """Return it."""
    return _STATES.setdefault((account_id, region), BatchState())


def arn(account_id: str, region: str, what: str) -> str:
    """Return the ARN of something: job-queue/NAME."""
    partition = {"cn": "aws-cn", "us-gov": "aws-us-gov"}.get(region.rpartition("-")[0].rpartition("-")[0], "aws")
    return f"arn:{partition}:batch:{region}:{account_id}:{what}"


def find_resource(those: Mapping[str, dict[str, Any]], name_or_arn: str, name: str) -> dict[str, Any] | None:
    """Return one by its ARN, or by its name, which stands below ``name``."""
    by_name = (record for record in those.values() if record[name] == name_or_arn)
    return those.get(name_or_arn) or next(by_name, None)


def queue_of(aws: Aws, name: str) -> dict[str, Any]:
    """Return a job queue by its name or ARN. Raises the service's error where there is none."""
    queue = find_resource(batch_state(aws.account_id, aws.region).queues, name, "jobQueueName")
    if queue is None:
        raise refusal(f"JobQueue {name} not found")
    return queue


def refusal(message: str) -> Exception:
    """Return the error that Batch answers a request with that it does not take.

    https://docs.aws.amazon.com/batch/latest/APIReference/CommonErrors.html
    """
    refused: Exception = JsonRESTError("ClientException", message)
    return refused
