"""An instance profile with its role."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::IAM::InstanceProfile"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and put the role into it."""
    iam = aws.client("iam")
    name = wanted.properties.get("InstanceProfileName", wanted.name)
    arn = iam.create_instance_profile(InstanceProfileName=name, **picked(wanted.properties, "Path"))["InstanceProfile"][
        "Arn"
    ]
    for role in wanted.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
    return Made(name, {"Arn": arn})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Put another role into it."""
    iam = aws.client("iam")
    _empty(aws, made.id)
    for role in wanted.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=made.id, RoleName=role)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Empty it, and delete it."""
    _empty(aws, made.id)
    aws.client("iam").delete_instance_profile(InstanceProfileName=made.id)


def _empty(aws: Aws, name: str) -> None:
    iam = aws.client("iam")
    for role in iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]:
        iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role["RoleName"])
