"""A name in Route 53."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Route53::RecordSet"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    _change(aws, "CREATE", wanted)
    return Made(wanted.properties["Name"])


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write it anew."""
    _change(aws, "UPSERT", wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    if made.wanted:
        _change(aws, "DELETE", made.wanted)


def _change(aws: Aws, action: str, wanted: Wanted) -> None:
    written = wanted.properties
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
