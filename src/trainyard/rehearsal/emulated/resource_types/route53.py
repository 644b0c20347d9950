"""Hosted zones of Route 53 and their records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceType


def _create_hosted_zone(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    vpcs = resource.properties.get("VPCs") or []
    request: dict[str, Any] = {"Name": resource.properties["Name"], "CallerReference": resource.name}
    if vpcs:
        request["VPC"] = {"VPCId": vpcs[0]["VPCId"], "VPCRegion": vpcs[0]["VPCRegion"]}
        request["HostedZoneConfig"] = {"PrivateZone": True}
    zone = aws.client("route53").create_hosted_zone(**request)["HostedZone"]["Id"].rpartition("/")[2]
    tags = [*resource.tags(), *resource.properties.get("HostedZoneTags", [])]
    if tags:
        aws.client("route53").change_tags_for_resource(ResourceType="hostedzone", ResourceId=zone, AddTags=tags)
    return PhysicalResource(zone, {"Id": zone, "NameServers": []})


def _delete_hosted_zone(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it. Like Route 53, refuse while it has names of its own."""
    aws.client("route53").delete_hosted_zone(Id=physical.id)


def _create_record_set(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    _change(aws, "CREATE", resource)
    return PhysicalResource(resource.properties["Name"])


def _update_record_set(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write it anew."""
    _change(aws, "UPSERT", resource)
    return physical


def _delete_record_set(aws: Aws, physical: PhysicalResource) -> None:
    if physical.logical:
        _change(aws, "DELETE", physical.logical)


def _change(aws: Aws, action: str, resource: LogicalResource) -> None:
    written = resource.properties
    record: dict[str, Any] = {"Name": written["Name"], "Type": written["Type"]}
    if "AliasTarget" in written:
        record["AliasTarget"] = {"EvaluateTargetHealth": False, **written["AliasTarget"]}
    else:
        record["TTL"] = int(written.get("TTL", 300))
        record["ResourceRecords"] = [{"Value": value} for value in written["ResourceRecords"]]
    changes = [{"Action": action, "ResourceRecordSet": record}]
    aws.client("route53").change_resource_record_sets(
        HostedZoneId=written["HostedZoneId"], ChangeBatch={"Changes": changes}
    )


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::Route53::HostedZone": ResourceType(_create_hosted_zone, _delete_hosted_zone),
    "AWS::Route53::RecordSet": ResourceType(_create_record_set, _delete_record_set, _update_record_set),
}
