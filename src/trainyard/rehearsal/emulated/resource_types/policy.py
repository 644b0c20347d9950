"""A policy that is part of roles."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.resource import Aws, Made, ResourceError, Wanted

TYPE = "AWS::IAM::Policy"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Write it into every role that it names."""
    _put(aws, wanted)
    return Made(wanted.name)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write it anew, and take it out of roles that it names no longer."""
    former = made.wanted.properties if made.wanted else {}
    for role in former.get("Roles", []):
        if role not in wanted.properties.get("Roles", []) or former["PolicyName"] != wanted.properties["PolicyName"]:
            aws.client("iam").delete_role_policy(RoleName=role, PolicyName=former["PolicyName"])
    _put(aws, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Take it out of its roles, as far as they still exist."""
    iam = aws.client("iam")
    properties = made.wanted.properties if made.wanted else {}
    for role in properties.get("Roles", []):
        try:
            iam.delete_role_policy(RoleName=role, PolicyName=properties["PolicyName"])
        except iam.exceptions.NoSuchEntityException:
            continue


def _put(aws: Aws, wanted: Wanted) -> None:
    roles = wanted.properties.get("Roles", [])
    if not roles or wanted.properties.get("Users") or wanted.properties.get("Groups"):
        raise ResourceError("the emulated account has policies of roles only, not of users or groups")
    document = json.dumps(wanted.properties["PolicyDocument"])
    for role in roles:
        aws.client("iam").put_role_policy(
            RoleName=role, PolicyName=wanted.properties["PolicyName"], PolicyDocument=document
        )
