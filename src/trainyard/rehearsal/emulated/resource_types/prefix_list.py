"""A managed prefix list."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::PrefixList"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it with its entries."""
    asked = picked(wanted.properties, "PrefixListName", "AddressFamily", "MaxEntries", "Entries")
    answer = aws.client("ec2").create_managed_prefix_list(**asked, **tag_specifications("prefix-list", wanted))
    made = answer["PrefixList"]
    attributes = {
        "PrefixListId": made["PrefixListId"],
        "Arn": made["PrefixListArn"],
        "OwnerId": made["OwnerId"],
        "Version": made.get("Version", 1),
    }
    return Made(made["PrefixListId"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change its entries."""
    ec2 = aws.client("ec2")
    former = made.wanted.properties.get("Entries", []) if made.wanted else []
    now = wanted.properties.get("Entries", [])
    before, after = {one["Cidr"] for one in former}, {one["Cidr"] for one in now}
    version = ec2.describe_managed_prefix_lists(PrefixListIds=[made.id])["PrefixLists"][0]["Version"]
    ec2.modify_managed_prefix_list(
        PrefixListId=made.id,
        CurrentVersion=version,
        AddEntries=[one for one in now if one["Cidr"] not in before],
        RemoveEntries=[{"Cidr": cidr} for cidr in sorted(before - after)],
    )
    made.attributes["Version"] = version + 1
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_managed_prefix_list(PrefixListId=made.id)
