"""An instance profile with its role."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::IAM::InstanceProfile"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and put the role into it."""
    iam = aws.client("iam")
    name = resource.properties.get("InstanceProfileName", resource.name)
    arn = iam.create_instance_profile(InstanceProfileName=name, **picked(resource.properties, "Path"))[
        "InstanceProfile"
    ]["Arn"]
    for role in resource.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
    return PhysicalResource(name, {"Arn": arn})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Put another role into it."""
    iam = aws.client("iam")
    _empty(aws, physical.id)
    for role in resource.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=physical.id, RoleName=role)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Empty it, and delete it."""
    _empty(aws, physical.id)
    aws.client("iam").delete_instance_profile(InstanceProfileName=physical.id)


def _empty(aws: Aws, name: str) -> None:
    iam = aws.client("iam")
    for role in iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]:
        iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role["RoleName"])
