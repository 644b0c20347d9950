"""What the nodes of a job run: their containers with what the job overrides, their images and their logs."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.batch import job_definitions
from trainyard.rehearsal.emulated.batch.state import batch_state, find_resource, refusal
from trainyard.rehearsal.emulated.breakdown import breakdown_at
from trainyard.rehearsal.emulated.resource import Aws

_MOST_SHOWN = 200
_TOO_SMALL = (
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE - CE(s) associated with the job queue cannot meet the CPU "
    "requirement of the job."
)
_NO_CAPACITY = (
    "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY - Service cannot fulfill the capacity requested for instance type [{}]"
)


def node_properties(properties: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return the nodes of a job, with what it overrides."""
    nodes = overrides.get("numNodes", properties["numNodes"])
    job_definitions.node_containers(properties, nodes)
    ranges = [dict(property_) for property_ in properties["nodeRangeProperties"]]
    for override in overrides.get("nodePropertyOverrides", ()):
        same = [range_ for range_ in ranges if range_["targetNodes"] == override["targetNodes"]]
        if not same:
            raise refusal(f"nodePropertyOverrides: no node range is {override['targetNodes']!r}")
        same[0]["container"] = with_overrides(same[0]["container"], override.get("containerOverrides", {}))
    return {**properties, "numNodes": nodes, "nodeRangeProperties": ranges}


def with_overrides(container: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return a container with what a job overrides: variables and resources one by one, the rest as a whole."""
    merged = {**container, **overrides}
    for key, name in (("environment", "name"), ("resourceRequirements", "type")):
        both = {member[name]: member for member in (*container.get(key, ()), *overrides.get(key, ()))}
        if both:
            merged[key] = list(both.values())
    return merged


def containers(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what each node of a job runs."""
    if "nodeProperties" not in job:
        return [job["container"]]
    properties = job["nodeProperties"]
    return job_definitions.node_containers(properties, properties["numNodes"])


def can_be_pulled(aws: Aws, image: str) -> bool:
    """Say whether an image is there, as far as it lies in a registry of this account."""
    repository, _, tag = image.partition(f"{aws.account_id}.dkr.ecr.{aws.region}.amazonaws.com/")[2].partition(":")
    if not repository:
        return True
    try:
        aws.client("ecr").describe_images(repositoryName=repository, imageIds=[{"imageTag": tag or "latest"}])
    except ClientError:
        return False
    return True


def write_log(aws: Aws, job: Mapping[str, Any], index: int, container: Mapping[str, Any]) -> None:
    """Write one line to the log of a node."""
    options = container.get("logConfiguration", {}).get("options", {})
    group = options.get("awslogs-group", "/aws/batch/job")
    name = stream(job, index)["logStreamName"]
    try:
        aws.client("logs").create_log_stream(logGroupName=group, logStreamName=name)
        command = " ".join(container.get("command", ()))[:_MOST_SHOWN]
        line = f"emulated: node {index} of {len(containers(job))} would run {command}"
        events = [{"timestamp": int(time.time() * 1000), "message": line}]
        aws.client("logs").put_log_events(logGroupName=group, logStreamName=name, logEvents=events)
    except ClientError:
        return  # a group that does not exist: the container would not start, which nobody is told here


def stream(job: Mapping[str, Any], index: int) -> dict[str, str]:
    """Return the log stream of a node: PREFIX/default/TASK."""
    if "startedAt" not in job:
        return {}
    options = containers(job)[index].get("logConfiguration", {}).get("options", {})
    prefix = options.get("awslogs-stream-prefix") or job["jobDefinition"].rpartition("/")[2].partition(":")[0]
    return {"logStreamName": f"{prefix}/default/{task(job, index)}"}


def task(job: Mapping[str, Any], index: int) -> str:
    """Return the id of the ECS task on a node."""
    return uuid.uuid5(uuid.UUID(job["jobId"]), str(index)).hex


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
