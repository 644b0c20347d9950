"""A launch template. A change makes a new version of it."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::LaunchTemplate"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it with its first version."""
    name = wanted.properties.get("LaunchTemplateName", wanted.name)
    asked = picked(wanted.properties, "LaunchTemplateData", "TagSpecifications", "VersionDescription")
    made = aws.client("ec2").create_launch_template(LaunchTemplateName=name, **asked)["LaunchTemplate"]
    return _made(made["LaunchTemplateId"], 1)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Make another version."""
    asked = picked(wanted.properties, "LaunchTemplateData", "VersionDescription")
    answer = aws.client("ec2").create_launch_template_version(LaunchTemplateId=made.id, **asked)
    return _made(made.id, answer["LaunchTemplateVersion"]["VersionNumber"])


def delete(aws: Aws, made: Made) -> None:
    """Delete it with all versions."""
    aws.client("ec2").delete_launch_template(LaunchTemplateId=made.id)


def _made(name: str, latest: int) -> Made:
    return Made(name, {"LaunchTemplateId": name, "LatestVersionNumber": str(latest), "DefaultVersionNumber": "1"})
