"""A policy that is part of roles."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = "AWS::IAM::Policy"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Write it into every role that it names."""
    _put(aws, resource)
    return PhysicalResource(resource.name)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write it anew, and take it out of roles that it names no longer."""
    former = physical.logical.properties if physical.logical else {}
    for role in former.get("Roles", []):
        if (
            role not in resource.properties.get("Roles", [])
            or former["PolicyName"] != resource.properties["PolicyName"]
        ):
            aws.client("iam").delete_role_policy(RoleName=role, PolicyName=former["PolicyName"])
    _put(aws, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Take it out of its roles, as far as they still exist."""
    iam = aws.client("iam")
    properties = physical.logical.properties if physical.logical else {}
    for role in properties.get("Roles", []):
        try:
            iam.delete_role_policy(RoleName=role, PolicyName=properties["PolicyName"])
        except iam.exceptions.NoSuchEntityException:
            continue


def _put(aws: Aws, resource: LogicalResource) -> None:
    roles = resource.properties.get("Roles", [])
    if not roles or resource.properties.get("Users") or resource.properties.get("Groups"):
        raise ResourceError("the emulated account has policies of roles only, not of users or groups")
    document = json.dumps(resource.properties["PolicyDocument"])
    for role in roles:
        aws.client("iam").put_role_policy(
            RoleName=role, PolicyName=resource.properties["PolicyName"], PolicyDocument=document
        )
