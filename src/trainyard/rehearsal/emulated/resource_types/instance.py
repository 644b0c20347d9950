"""An EC2 instance, made from a launch template or without one."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::Instance"
_NAMES = (
    *("BlockDeviceMappings", "EbsOptimized", "ImageId", "InstanceInitiatedShutdownBehavior", "InstanceType", "KeyName"),
    *("LaunchTemplate", "MetadataOptions", "NetworkInterfaces", "PrivateIpAddress", "SecurityGroupIds", "SubnetId"),
    *("SecurityGroups", "UserData"),
)


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Run it. Some properties have other names in the API."""
    asked = picked(resource.properties, *_NAMES)
    if "IamInstanceProfile" in resource.properties:
        asked["IamInstanceProfile"] = {"Name": resource.properties["IamInstanceProfile"]}
    if "Monitoring" in resource.properties:
        asked["Monitoring"] = {"Enabled": str(resource.properties["Monitoring"]).lower() == "true"}
    kinds = ("instance", *(("volume",) if resource.properties.get("PropagateTagsToVolumeOnCreation") else ()))
    tags = [{"ResourceType": kind, "Tags": resource.tags()} for kind in kinds if resource.tags()]
    answer = aws.client("ec2").run_instances(**asked, MinCount=1, MaxCount=1, TagSpecifications=tags)
    return _made(aws, answer["Instances"][0]["InstanceId"])


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Terminate it."""
    aws.client("ec2").terminate_instances(InstanceIds=[physical.id])


def _made(aws: Aws, name: str) -> PhysicalResource:
    found = aws.client("ec2").describe_instances(InstanceIds=[name])["Reservations"][0]["Instances"][0]
    attributes: dict[str, Any] = {
        "InstanceId": name,
        "AvailabilityZone": found["Placement"]["AvailabilityZone"],
        "PrivateDnsName": found.get("PrivateDnsName", ""),
        "PrivateIp": found.get("PrivateIpAddress", ""),
        "PublicDnsName": found.get("PublicDnsName", ""),
        "PublicIp": found.get("PublicIpAddress", ""),
        "VpcId": found.get("VpcId", ""),
    }
    return PhysicalResource(name, attributes)
