"""A zone of names in Route 53, private where it belongs to VPCs."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Route53::HostedZone"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    vpcs = resource.properties.get("VPCs") or []
    asked: dict[str, Any] = {"Name": resource.properties["Name"], "CallerReference": resource.name}
    if vpcs:
        asked["VPC"] = {"VPCId": vpcs[0]["VPCId"], "VPCRegion": vpcs[0]["VPCRegion"]}
        asked["HostedZoneConfig"] = {"PrivateZone": True}
    zone = aws.client("route53").create_hosted_zone(**asked)["HostedZone"]["Id"].rpartition("/")[2]
    tags = [*resource.tags(), *resource.properties.get("HostedZoneTags", [])]
    if tags:
        aws.client("route53").change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone, AddTags=tags)
    return PhysicalResource(zone, {"Id": zone, "NameServers": []})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it. Like Route 53, refuse while it has names of its own."""
    aws.client("route53").delete_hosted_zone(Id=physical.id)
