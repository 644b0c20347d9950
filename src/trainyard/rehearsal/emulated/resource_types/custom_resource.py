"""A custom resource: what a Lambda function would do. Those of ParallelCluster's templates are known, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = "AWS::CloudFormation::CustomResource"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Look for the function and for what it would do when the stack is deleted. There is nothing to do before that."""
    function = str(resource.properties["ServiceToken"]).rpartition(":function:")[2]
    aws.client("lambda").get_function(FunctionName=function)
    action = resource.properties.get("Action")
    if action not in _ON_DELETE:
        raise ResourceError(f"the emulated account does not know what the custom resource {action or function} does")
    return PhysicalResource(resource.name)


def update(_aws: Aws, physical: PhysicalResource, _resource: LogicalResource) -> PhysicalResource:
    """Do nothing, as ParallelCluster's functions do."""
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Do what the function would."""
    properties = physical.logical.properties if physical.logical else {}
    _ON_DELETE[properties["Action"]](aws, properties)


def _delete_artifacts(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Delete what pcluster uploaded for the cluster, with every version of it. The bucket stays."""
    s3, bucket = aws.client("s3"), properties["ResourcesS3Bucket"]
    prefix = f"{properties['ArtifactS3RootDirectory']}/"
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix):
        for one in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
            s3.delete_object(Bucket=bucket, Key=one["Key"], VersionId=one["VersionId"])


def _delete_records(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Delete the names of compute nodes."""
    route53, zone = aws.client("route53"), properties["ClusterHostedZone"]
    found = route53.list_resource_record_sets(HostedZoneId=zone)["ResourceRecordSets"]
    changes = [{"Action": "DELETE", "ResourceRecordSet": one} for one in found if one["Type"] == "A"]
    if changes:
        route53.change_resource_record_sets(HostedZoneId=zone, ChangeBatch={"Changes": changes})


def _terminate_nodes(aws: Aws, properties: Mapping[str, Any]) -> None:
    """Terminate every instance that carries the cluster's tag."""
    of_cluster = {"Name": "tag:parallelcluster:cluster-name", "Values": [properties["StackName"]]}
    running = {"Name": "instance-state-name", "Values": ["pending", "running", "stopping", "stopped"]}
    ec2 = aws.client("ec2")
    for page in ec2.get_paginator("describe_instances").paginate(Filters=[of_cluster, running]):
        names = [one["InstanceId"] for reservation in page["Reservations"] for one in reservation["Instances"]]
        if names:
            ec2.terminate_instances(InstanceIds=names)


# ACTION_HANDLERS of cleanup_resources.py, in pcluster/resources/custom_resources of
# https://pypi.org/project/aws-parallelcluster/3.16.1/
_ON_DELETE: Mapping[str, Callable[[Aws, Mapping[str, Any]], None]] = {
    "DELETE_S3_ARTIFACTS": _delete_artifacts,
    "DELETE_DNS_RECORDS": _delete_records,
    "TERMINATE_EC2_INSTANCES": _terminate_nodes,
}
