"""The names of job queues and job definitions, as batch.yaml makes them."""

from __future__ import annotations

from typing import Literal

from trainyard.spec.cluster import Spec

Job = Literal["stress", "nccl", "torchrun"]
OUTPUTS = {
    "stress-ng": "StressJobDefinition",
    "nccl": "NcclJobDefinition",
    "torchrun": "TorchrunJobDefinition",
}
"""Further queues have their number behind it."""


def job_queue(spec: Spec, queue: str) -> str:
    """Return the name of the job queue of a queue."""
    return f"{spec.name}-{queue}"


def job_definition(spec: Spec, queue: str, job: Job) -> str:
    """Return the name of one of its job definitions, of which Batch takes the latest revision."""
    return f"{spec.name}-{queue}-{job}"
