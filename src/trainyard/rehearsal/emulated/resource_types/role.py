"""An IAM role, with its policies and its permissions boundary."""

from __future__ import annotations

import json
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::IAM::Role"
_NAMES = ("Path", "Description", "MaxSessionDuration", "PermissionsBoundary")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it. A managed policy that does not exist is refused, as by IAM."""
    iam = aws.client("iam")
    answer = iam.create_role(
        RoleName=wanted.properties.get("RoleName", wanted.name),
        AssumeRolePolicyDocument=_text(wanted.properties["AssumeRolePolicyDocument"]),
        **picked(wanted.properties, *_NAMES),
        **with_tags(wanted),
    )["Role"]
    made = Made(answer["RoleName"], {"Arn": answer["Arn"], "RoleId": answer["RoleId"]})
    try:
        _give(aws, made.id, wanted)
    except Exception:
        _strip(aws, made.id)
        iam.delete_role(RoleName=made.id)
        raise
    return made


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Give it what it is to have, and nothing else."""
    iam = aws.client("iam")
    iam.update_assume_role_policy(RoleName=made.id, PolicyDocument=_text(wanted.properties["AssumeRolePolicyDocument"]))
    iam.update_role(RoleName=made.id, **picked(wanted.properties, "Description", "MaxSessionDuration"))
    if boundary := wanted.properties.get("PermissionsBoundary"):
        iam.put_role_permissions_boundary(RoleName=made.id, PermissionsBoundary=boundary)
    elif made.wanted is not None and "PermissionsBoundary" in made.wanted.properties:
        iam.delete_role_permissions_boundary(RoleName=made.id)
    for name, arn in _own(made):
        _take(aws, made.id, name, arn)
    _give(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Take away what the template gave it, and delete it. IAM refuses where somebody else gave it more."""
    for name, arn in _own(made):
        _take(aws, made.id, name, arn)
    aws.client("iam").delete_role(RoleName=made.id)


def _give(aws: Aws, role: str, wanted: Wanted) -> None:
    iam = aws.client("iam")
    for arn in wanted.properties.get("ManagedPolicyArns", []):
        iam.attach_role_policy(RoleName=role, PolicyArn=arn)
    for policy in wanted.properties.get("Policies", []):
        document = _text(policy["PolicyDocument"])
        iam.put_role_policy(RoleName=role, PolicyName=policy["PolicyName"], PolicyDocument=document)


def _own(made: Made) -> list[tuple[str, str]]:
    """Return the names of inline policies and the ARNs of managed ones that the template gave."""
    properties = made.wanted.properties if made.wanted else {}
    inline = [(policy["PolicyName"], "") for policy in properties.get("Policies", [])]
    return [*inline, *(("", arn) for arn in properties.get("ManagedPolicyArns", []))]


def _take(aws: Aws, role: str, name: str, arn: str) -> None:
    iam = aws.client("iam")
    if name:
        iam.delete_role_policy(RoleName=role, PolicyName=name)
    else:
        iam.detach_role_policy(RoleName=role, PolicyArn=arn)


def _strip(aws: Aws, role: str) -> None:
    iam = aws.client("iam")
    for policy in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=role, PolicyArn=policy["PolicyArn"])
    for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
        iam.delete_role_policy(RoleName=role, PolicyName=name)


def _text(document: Any) -> str:
    return document if isinstance(document, str) else json.dumps(document)
