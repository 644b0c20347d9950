"""What CloudFormation itself offers as resources: stacks, custom resources and wait conditions."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from trainyard.rehearsal.emulated import head_node
from trainyard.rehearsal.emulated.engine import deletion, deployment, plan, stacks
from trainyard.rehearsal.emulated.engine.template import body_of
from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError, ResourceType


def _create_stack(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, with the tags and the rights of the stack that it stands in."""
    parent = stacks.stack_named(resource.stack_id, aws.region)
    name = f"{resource.stack_name}-{resource.logical_id}-{uuid.uuid4().hex[:12].upper()}"
    stack_id = f"arn:aws:cloudformation:{aws.region}:{aws.account_id}:stack/{name}/{uuid.uuid4()}"
    stack = stacks.EmulatedStack(
        name=name,
        id=stack_id,
        region=aws.region,
        parent=parent,
        capabilities=parent.capabilities,
        rollback=parent.rollback,
    )
    target = _target(stack, resource)
    stacks.add(stack)
    deployment.create(stack, target)
    if stack.status != "CREATE_COMPLETE":
        raise ResourceError(
            f"Embedded stack {stack_id} was not successfully created: {_why(stack)}", PhysicalResource(stack_id)
        )
    return _physical_stack(stack)


def _update_stack(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    stack = stacks.stack_named(physical.id, aws.region)
    target = _target(stack, resource)
    stack.rollback = stacks.stack_named(resource.stack_id, aws.region).rollback
    deployment.update(stack, target)
    if stack.status != "UPDATE_COMPLETE":
        raise ResourceError(f"Embedded stack {stack.id} was not successfully updated: {_why(stack)}")
    return _physical_stack(stack)


def _delete_stack(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with everything in it."""
    stack = stacks.stack_named(physical.id, aws.region)
    if stack.deleted is None:
        deletion.delete(stack)
    if stack.deleted is None:
        raise ResourceError(f"Embedded stack {stack.id} was not successfully deleted: {stack.reason}")


def _target(stack: stacks.EmulatedStack, resource: LogicalResource) -> plan.StackTarget:
    body = body_of(None, resource.properties["TemplateURL"], InProcessAccount(stack.region))
    values = {name: _text(value) for name, value in (resource.properties.get("Parameters") or {}).items()}
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    return plan.target(stack, body, values, tags, stack.capabilities)


def _physical_stack(stack: stacks.EmulatedStack) -> PhysicalResource:
    return PhysicalResource(
        stack.id, {f"Outputs.{output['OutputKey']}": output["OutputValue"] for output in stack.outputs}
    )


def _why(stack: stacks.EmulatedStack) -> str:
    failed = [event.reason for event in stack.events if event.status.endswith("_FAILED") and event.reason]
    return failed[0] if failed else stack.reason


def _text(value: Any) -> str:
    return ",".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _create_custom_resource(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Look for the function and for what it would do when the stack is deleted. There is nothing to do before that."""
    function = str(resource.properties["ServiceToken"]).rpartition(":function:")[2]
    aws.client("lambda").get_function(FunctionName=function)
    action = resource.properties.get("Action")
    if action not in _ON_DELETE:
        raise ResourceError(f"the emulated account does not know what the custom resource {action or function} does")
    return PhysicalResource(resource.name)


def _update_custom_resource(_aws: Aws, physical: PhysicalResource, _resource: LogicalResource) -> PhysicalResource:
    """Do nothing, as ParallelCluster's functions do."""
    return physical


def _delete_custom_resource(aws: Aws, physical: PhysicalResource) -> None:
    """Do what the function would."""
    properties = physical.logical.properties if physical.logical else {}
    _ON_DELETE[properties["Action"]](aws, properties)


def _delete_artifacts(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Delete what pcluster uploaded for the cluster, with every version of it. The bucket stays."""
    s3, bucket = aws.client("s3"), properties["ResourcesS3Bucket"]
    prefix = f"{properties['ArtifactS3RootDirectory']}/"
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        for version in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
            s3.delete_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])


def _delete_records(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Delete the names of compute nodes."""
    route53, zone = aws.client("route53"), properties["ClusterHostedZone"]
    records = route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
    changes = [{"Action": "DELETE", "ResourceRecordSet": record} for record in records if record["Type"] == "A"]
    if changes:
        route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})


def _terminate_nodes(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Terminate every instance that carries the cluster's tag."""
    of_cluster = {"Name": "tag:parallelcluster:cluster-name", "Values": [properties["StackName"]]}
    running = {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}
    ec2 = aws.client("ec2")
    for page in ec2.get_paginator("describe_instances").paginate(Filters=[of_cluster, running]):
        names = [
            instance["InstanceId"] for reservation in page["Reservations"] for instance in reservation["Instances"]
        ]
        if names:
            ec2.terminate_instances(InstanceIds=names)


# ACTION_HANDLERS of cleanup_resources.py, in pcluster/resources/custom_resources of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
_ON_DELETE: Mapping[str, Callable[[Aws, Mapping[str, Any]], None]] = {
    "DELETE_S3_ARTIFACTS": _delete_artifacts,
    "DELETE_DNS_RECORDS": _delete_records,
    "TERMINATE_EC2_INSTANCES": _terminate_nodes,
}


def _create_wait_condition(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Let the head node of the stack start, and fail as CloudFormation does where it does not signal in time.

    The time does not pass: what would last an hour is over at once. In a stack that is not one of ParallelCluster
    nobody could signal, and that is the reason then.
    """
    expected = int(resource.properties.get("Count", 1))
    received = head_node.start(aws, resource.stack_name)
    if received < expected:
        raise ResourceError(f"WaitCondition timed out. Received {received} conditions when expecting {expected}")
    return PhysicalResource(f"{resource.stack_id}/{resource.logical_id}", {"Data": '{"": "HeadNode setup complete"}'})


def _delete_wait_condition(_aws: Aws, _physical: PhysicalResource) -> None:
    """Forget it."""


def _create_wait_condition_handle(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make up a presigned address, at which nobody listens."""
    path = quote(f"{resource.stack_id}/{resource.logical_id}", safe="")
    host = f"cloudformation-waitcondition-{aws.region}.s3.{aws.region}.amazonaws.com"
    return PhysicalResource(f"https://{host}/{path}?X-Amz-Signature={secrets.token_hex(32)}")


def _delete_wait_condition_handle(_aws: Aws, _physical: PhysicalResource) -> None:
    """Forget it."""


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    stacks.STACK: ResourceType(_create_stack, _delete_stack, _update_stack),
    "AWS::CloudFormation::CustomResource": ResourceType(
        _create_custom_resource, _delete_custom_resource, _update_custom_resource
    ),
    "AWS::CloudFormation::WaitCondition": ResourceType(_create_wait_condition, _delete_wait_condition),
    "AWS::CloudFormation::WaitConditionHandle": ResourceType(
        _create_wait_condition_handle, _delete_wait_condition_handle
    ),
}
