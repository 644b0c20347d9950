"""A zone of names in Route 53, private where it belongs to VPCs."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Route53::HostedZone"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    vpcs = wanted.properties.get("VPCs") or []
    asked: dict[str, Any] = {"Name": wanted.properties["Name"], "CallerReference": wanted.name}
    if vpcs:
        asked["VPC"] = {"VPCId": vpcs[0]["VPCId"], "VPCRegion": vpcs[0]["VPCRegion"]}
        asked["HostedZoneConfig"] = {"PrivateZone": True}
    zone = aws.client("route53").create_hosted_zone(**asked)["HostedZone"]["Id"].rpartition("/")[2]
    tags = [*wanted.tags(), *wanted.properties.get("HostedZoneTags", [])]
    if tags:
        aws.client("route53").change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone, AddTags=tags)
    return Made(zone, {"Id": zone, "NameServers": []})


def delete(aws: Aws, made: Made) -> None:
    """Delete it. Like Route 53, refuse while it has names of its own."""
    aws.client("route53").delete_hosted_zone(Id=made.id)
