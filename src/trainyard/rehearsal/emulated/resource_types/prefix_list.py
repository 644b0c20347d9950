"""A managed prefix list."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::PrefixList"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it with its entries."""
    asked = picked(resource.properties, "PrefixListName", "AddressFamily", "MaxEntries", "Entries")
    answer = aws.client("ec2").create_managed_prefix_list(**asked, **tag_specifications("prefix-list", resource))
    made = answer["PrefixList"]
    attributes = {
        "PrefixListId": made["PrefixListId"],
        "Arn": made["PrefixListArn"],
        "OwnerId": made["OwnerId"],
        "Version": made.get("Version", 1),
    }
    return PhysicalResource(made["PrefixListId"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its entries."""
    ec2 = aws.client("ec2")
    former = physical.logical.properties.get("Entries", []) if physical.logical else []
    now = resource.properties.get("Entries", [])
    before, after = {one["Cidr"] for one in former}, {one["Cidr"] for one in now}
    version = ec2.describe_managed_prefix_lists(PrefixListIds=[physical.id])["PrefixLists"][0]["Version"]
    ec2.modify_managed_prefix_list(
        PrefixListId=physical.id,
        CurrentVersion=version,
        AddEntries=[one for one in now if one["Cidr"] not in before],
        RemoveEntries=[{"Cidr": cidr} for cidr in sorted(before - after)],
    )
    physical.attributes["Version"] = version + 1
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("ec2").delete_managed_prefix_list(PrefixListId=physical.id)
