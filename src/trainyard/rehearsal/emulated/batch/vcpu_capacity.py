"""Whether the compute environments of a queue may ever have the vCPUs that a job asks for, and EC2 the instances.

https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch.containers import containers
from trainyard.rehearsal.emulated.batch.state import batch_state, find_resource
from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.resource import Aws

_TOO_SMALL = (
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE - CE(s) associated with the job queue cannot meet the CPU "
    "requirement of the job."
)


_NO_CAPACITY = (
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Service cannot fulfill the capacity requested for instance type [{}]"
)


def why_it_waits(aws: Aws, job: Mapping[str, Any]) -> str | None:
    """Return why a job stays RUNNABLE, None where its queue may have enough vCPUs and EC2 has instances."""
    here = batch_state(aws.account_id, aws.region)
    order = here.queues[job["jobQueue"]]["computeEnvironmentOrder"] if job["jobQueue"] in here.queues else ()
    named = (
        find_resource(here.environments, order_entry["computeEnvironment"], "computeEnvironmentName")
        for order_entry in order
    )
    resources = [environment.get("computeResources", {}) for environment in named if environment is not None]
    if not any(_vcpus(job) <= resource.get("maxvCpus", 0) for resource in resources):
        return _TOO_SMALL
    refused = breakdown_at("launch")
    if refused is None or refused.code != "InsufficientInstanceCapacity":
        return None
    return _NO_CAPACITY.format(", ".join(sorted({kind for compute in resources for kind in compute["instanceTypes"]})))


def _vcpus(job: Mapping[str, Any]) -> float:
    return sum(_of_container(container) for container in containers(job))


def _of_container(container: Mapping[str, Any]) -> float:
    requirements = [
        requirement["value"]
        for requirement in container.get("resourceRequirements", ())
        if requirement["type"] == "VCPU"
    ]
    return float(next(iter(requirements), container.get("vcpus", 0)))
