"""Instances, the groups that start them, and their key pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceError,
    ResourceType,
    tag_specifications,
    written_properties,
)

_NAMES = (
    *("BlockDeviceMappings", "EbsOptimized", "ImageId", "InstanceInitiatedShutdownBehavior", "InstanceType", "KeyName"),
    *("LaunchTemplate", "MetadataOptions", "NetworkInterfaces", "PrivateIpAddress", "SecurityGroupIds", "SubnetId"),
    *("SecurityGroups", "UserData"),
)


def _create_instance(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Run it. Some properties have other names in the API."""
    request = written_properties(resource.properties, *_NAMES)
    if "IamInstanceProfile" in resource.properties:
        request["IamInstanceProfile"] = {"Name": resource.properties["IamInstanceProfile"]}
    if "Monitoring" in resource.properties:
        request["Monitoring"] = {"Enabled": str(resource.properties["Monitoring"]).lower() == "true"}
    kinds = ("instance", *(("volume",) if resource.properties.get("PropagateTagsToVolumeOnCreation") else ()))
    tags = [{"ResourceType": kind, "Tags": resource.tags()} for kind in kinds if resource.tags()]
    answer = aws.client("ec2").run_instances(**request, MinCount=1, MaxCount=1, TagSpecifications=tags)
    return _physical_instance(aws, answer["Instances"][0]["InstanceId"])


# What changes without another instance, the type while it is stopped.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-instance.html
_CHANGEABLE = {"IamInstanceProfile", "InstanceType", "SecurityGroupIds", "Tags"}


def _update_instance(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its type or its security groups."""
    former = physical.logical.properties if physical.logical else {}
    names = {*former, *resource.properties}
    changed = {name for name in names if former.get(name) != resource.properties.get(name)}
    if changed - _CHANGEABLE:
        raise ResourceError(f"the emulated account cannot change {', '.join(sorted(changed - _CHANGEABLE))} in place")
    ec2 = aws.client("ec2")
    if "InstanceType" in changed:
        ec2.stop_instances(InstanceIds=[physical.id])
        ec2.modify_instance_attribute(
            InstanceId=physical.id, InstanceType={"Value": resource.properties["InstanceType"]}
        )
        ec2.start_instances(InstanceIds=[physical.id])
    if "SecurityGroupIds" in changed:
        ec2.modify_instance_attribute(InstanceId=physical.id, Groups=resource.properties["SecurityGroupIds"])
    return physical


def _delete_instance(aws: Aws, physical: PhysicalResource) -> None:
    """Terminate it."""
    aws.client("ec2").terminate_instances(InstanceIds=[physical.id])


def _physical_instance(aws: Aws, name: str) -> PhysicalResource:
    instance = aws.client("ec2").describe_instances(InstanceIds=[name])["Reservations"][0]["Instances"][0]
    attributes: dict[str, Any] = {
        "InstanceId": name,
        "AvailabilityZone": instance["Placement"]["AvailabilityZone"],
        "PrivateDnsName": instance.get("PrivateDnsName", ""),
        "PrivateIp": instance.get("PrivateIpAddress", ""),
        "PublicDnsName": instance.get("PublicDnsName", ""),
        "PublicIp": instance.get("PublicIpAddress", ""),
        "VpcId": instance.get("VpcId", ""),
    }
    return PhysicalResource(name, attributes)


_COUNTS = ("DesiredCapacity", "MaxSize", "MinSize")


def _create_auto_scaling_group(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and wait until it has its instances."""
    name = resource.properties.get("AutoScalingGroupName", resource.name)
    tags = [{"ResourceId": name, "ResourceType": "auto-scaling-group", **tag} for tag in _tags(resource)]
    request = written_properties(resource.properties, "HealthCheckType", "HealthCheckGracePeriod", "TargetGroupARNs")
    aws.client("autoscaling").create_auto_scaling_group(
        AutoScalingGroupName=name, **_counts(resource), **_launch(resource), **request, Tags=tags
    )
    for hook in resource.properties.get("LifecycleHookSpecificationList", []):
        aws.client("autoscaling").put_lifecycle_hook(AutoScalingGroupName=name, **hook)
    _check_is_stable(aws, name)
    return PhysicalResource(name)


def _update_auto_scaling_group(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change how many run, and what new ones are like."""
    aws.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=physical.id, **_counts(resource), **_launch(resource)
    )
    _check_is_stable(aws, physical.id)
    return physical


def _delete_auto_scaling_group(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with its instances."""
    aws.client("autoscaling").delete_auto_scaling_group(AutoScalingGroupName=physical.id, ForceDelete=True)


def _tags(resource: LogicalResource) -> list[dict[str, Any]]:
    """Return its tags. Those of the stack reach instances too.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
    """
    return [{"PropagateAtLaunch": True, **tag} for tag in resource.properties.get("Tags", [])]


def _counts(resource: LogicalResource) -> dict[str, int]:
    return {name: int(value) for name, value in written_properties(resource.properties, *_COUNTS).items()}


def _launch(resource: LogicalResource) -> dict[str, Any]:
    request = written_properties(resource.properties, "LaunchTemplate")
    if "VPCZoneIdentifier" in resource.properties:
        request["VPCZoneIdentifier"] = ",".join(resource.properties["VPCZoneIdentifier"])
    return request


def _check_is_stable(aws: Aws, name: str) -> None:
    groups = aws.client("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])["AutoScalingGroups"]
    running, desired = len(groups[0]["Instances"]), groups[0]["DesiredCapacity"]
    if running < desired:
        raise ResourceError(f"Group did not stabilize. {running} of {desired} instances could be launched.")


def _create_key_pair(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, or import the public key. EC2 keeps the private one in a parameter of Systems Manager."""
    ec2 = aws.client("ec2")
    tags = tag_specifications("key-pair", resource)
    name = resource.properties["KeyName"]
    if "PublicKeyMaterial" in resource.properties:
        answer = ec2.import_key_pair(KeyName=name, PublicKeyMaterial=resource.properties["PublicKeyMaterial"], **tags)
    else:
        answer = ec2.create_key_pair(
            **written_properties(resource.properties, "KeyName", "KeyType", "KeyFormat"), **tags
        )
        aws.client("ssm").put_parameter(
            Name=_parameter(answer["KeyPairId"]), Value=answer["KeyMaterial"], Type="SecureString"
        )
    return PhysicalResource(name, {"KeyPairId": answer["KeyPairId"], "KeyFingerprint": answer["KeyFingerprint"]})


def _delete_key_pair(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, and the parameter where there is one."""
    aws.client("ec2").delete_key_pair(KeyName=physical.id)
    if physical.logical is not None and "PublicKeyMaterial" not in physical.logical.properties:
        aws.client("ssm").delete_parameter(Name=_parameter(physical.attributes["KeyPairId"]))


def _parameter(key_pair: str) -> str:
    # https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-resource-ec2-keypair.html
    return f"/ec2/keypair/{key_pair}"


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::EC2::Instance": ResourceType(_create_instance, _delete_instance, _update_instance),
    "AWS::AutoScaling::AutoScalingGroup": ResourceType(
        _create_auto_scaling_group, _delete_auto_scaling_group, _update_auto_scaling_group
    ),
    "AWS::EC2::KeyPair": ResourceType(_create_key_pair, _delete_key_pair),
}
