"""Compute environments: what they name has to exist, and none is deleted that is enabled or that a queue uses."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from botocore.exceptions import ClientError

from trainyard.rehearsal.emulated.batch.state import arn, batch_state, find_resource, refusal
from trainyard.rehearsal.emulated.resource import Aws

_ROLE = "role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch"


def create(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer CreateComputeEnvironment. It is valid at once, and nothing runs yet.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateComputeEnvironment.html
    """
    here, name = batch_state(aws.account_id, aws.region), request["computeEnvironmentName"]
    if find_resource(here.environments, name, "computeEnvironmentName") is not None:
        raise refusal(f"Object already exists: compute environment {name}")
    _refuse_missing(aws, request.get("computeResources", {}))
    whole = arn(aws.account_id, aws.region, f"compute-environment/{name}")
    here.environments[whole] = {
        "computeEnvironmentArn": whole,
        "ecsClusterArn": whole.replace(":batch:", ":ecs:").replace("compute-environment/", "cluster/")
        + f"_Batch_{uuid.uuid4()}",
        "state": "ENABLED",
        "status": "VALID",
        "statusReason": "ComputeEnvironment Healthy",
        "serviceRole": f"arn:aws:iam::{aws.account_id}:{_ROLE}",
        "containerOrchestrationType": "ECS",
        "uuid": str(uuid.uuid4()),
        "tags": {},
        **request,
    }
    return {"computeEnvironmentName": name, "computeEnvironmentArn": whole}


def describe(aws: Aws, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return those that are asked for, or all."""
    those = batch_state(aws.account_id, aws.region).environments
    names = request.get("computeEnvironments") or list(those)
    return [
        environment
        for name in names
        if (environment := find_resource(those, name, "computeEnvironmentName")) is not None
    ]


def update(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer UpdateComputeEnvironment: what is written takes the place of what was."""
    environment = _existing_environment(aws, request["computeEnvironment"])
    resources = {**environment.get("computeResources", {}), **request.get("computeResources", {})}
    _refuse_missing(aws, resources)
    changed = {name: value for name, value in request.items() if name != "computeEnvironment"}
    environment |= {**changed, "computeResources": resources}
    return {name: environment[name] for name in ("computeEnvironmentName", "computeEnvironmentArn")}


def delete(aws: Aws, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer DeleteComputeEnvironment.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_DeleteComputeEnvironment.html
    """
    here, environment = (
        batch_state(aws.account_id, aws.region),
        _existing_environment(aws, request["computeEnvironment"]),
    )
    if environment["state"] != "DISABLED":
        raise refusal("Cannot delete, compute environment must be in the DISABLED state")
    for queue in here.queues.values():
        order = [order_entry["computeEnvironment"] for order_entry in queue["computeEnvironmentOrder"]]
        if {environment["computeEnvironmentArn"], environment["computeEnvironmentName"]} & set(order):
            raise refusal(f"Cannot delete, found existing JobQueue relationship: {queue['jobQueueName']}")
    del here.environments[environment["computeEnvironmentArn"]]
    return {}


def _existing_environment(aws: Aws, name: str) -> dict[str, Any]:
    environment = find_resource(batch_state(aws.account_id, aws.region).environments, name, "computeEnvironmentName")
    if environment is None:
        raise refusal(f"Compute environment {name} does not exist")
    return environment


def _refuse_missing(aws: Aws, resources: Mapping[str, Any]) -> None:
    """Refuse resources that name something that does not exist, and vCPUs that do not go together."""
    if resources.get("minvCpus", 0) > resources.get("maxvCpus", 0):
        raise refusal("computeResources: minvCpus must not be larger than maxvCpus")
    for what, call, request in _named(resources):
        service, _, action = call.partition(":")
        try:
            getattr(aws.client(service), action)(**request)
        except ClientError as error:
            raise refusal(f"computeResources.{what}: {error.response['Error']['Message']}") from error


def _named(resources: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what the resources name: where, the call that finds it, and what that is asked."""
    yield "instanceTypes", "ec2:describe_instance_types", {"InstanceTypes": resources["instanceTypes"]}
    yield "subnets", "ec2:describe_subnets", {"SubnetIds": resources["subnets"]}
    profile = str(resources.get("instanceRole", "")).rpartition("/")[2]
    yield "instanceRole", "iam:get_instance_profile", {"InstanceProfileName": profile}
    if resources.get("securityGroupIds"):
        yield "securityGroupIds", "ec2:describe_security_groups", {"GroupIds": resources["securityGroupIds"]}
    if resources.get("placementGroup"):
        yield "placementGroup", "ec2:describe_placement_groups", {"GroupNames": [resources["placementGroup"]]}
    if resources.get("ec2KeyPair"):
        yield "ec2KeyPair", "ec2:describe_key_pairs", {"KeyNames": [resources["ec2KeyPair"]]}
    if template := resources.get("launchTemplate"):
        request = {"LaunchTemplateId": template["launchTemplateId"], "Versions": [template.get("version", "$Default")]}
        yield "launchTemplate", "ec2:describe_launch_template_versions", request
    for image in resources.get("ec2Configuration", ()):
        if "imageIdOverride" in image:
            yield "ec2Configuration", "ec2:describe_images", {"ImageIds": [image["imageIdOverride"]]}
