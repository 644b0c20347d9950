"""A name in Route 53."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Route53::RecordSet"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    _change(aws, "CREATE", resource)
    return PhysicalResource(resource.properties["Name"])


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write it anew."""
    _change(aws, "UPSERT", resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
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
