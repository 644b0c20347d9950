"""A placement group."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::PlacementGroup"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it; it has no name of its own in a template."""
    asked = picked(wanted.properties, "Strategy", "PartitionCount", "SpreadLevel")
    aws.client("ec2").create_placement_group(
        GroupName=wanted.name, **{"Strategy": "cluster", **asked}, **tag_specifications("placement-group", wanted)
    )
    return Made(wanted.name, {"GroupName": wanted.name})


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_placement_group(GroupName=made.id)
