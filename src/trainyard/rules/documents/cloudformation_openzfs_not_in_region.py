"""A deployment type of FSx for OpenZFS that the regions with most GPUs lack, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import openzfs_refused
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import resources, values

# A template names no region; these are where most training runs.
_REGIONS = ("us-east-1", "us-east-2", "us-west-2")


def check(document: Document) -> Iterator[Problem]:
    """Yield deployment types that one of the regions is known to lack."""
    for system in resources(document, "AWS::FSx::FileSystem"):
        configuration = system.properties.get("OpenZFSConfiguration")
        named = configuration.get("DeploymentType") if isinstance(configuration, dict) else None
        path = (*system.path, "Properties", "OpenZFSConfiguration", "DeploymentType")
        for place, name in values(document, named, path):
            lacking = [region for region in _REGIONS if isinstance(name, str) and name in openzfs_refused(region)]
            if lacking:
                message = f"{system.name} is of type {name}, which {', '.join(lacking)} do not have"
                yield Problem(place, message if len(lacking) > 1 else message.replace(" do not ", " does not "))


RULE = DocumentRule(
    severity="warning",
    title="FSx for OpenZFS that large regions do not have",
    rationale=(
        "Not every region has every deployment type, and the largest ones lack SINGLE_AZ_HA_1. There the stack fails "
        "after network and everything else before the file system was made."
    ),
    remedy="write SINGLE_AZ_HA_2, or a parameter for the type",
    source="https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/available-aws-regions.html",
    bad="""\
Resources:
  Home:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: OPENZFS
      StorageCapacity: 512
      SubnetIds: [subnet-0123456789abcdef0]
      OpenZFSConfiguration: {DeploymentType: SINGLE_AZ_HA_1, ThroughputCapacity: 320}
""",
    good="""\
Resources:
  Home:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: OPENZFS
      StorageCapacity: 512
      SubnetIds: [subnet-0123456789abcdef0]
      OpenZFSConfiguration: {DeploymentType: SINGLE_AZ_HA_2, ThroughputCapacity: 320}
""",
    check=check,
)
