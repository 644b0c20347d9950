"""An IAM role, with its policies and its permissions boundary."""

from __future__ import annotations

import json
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::IAM::Role"
_NAMES = ("Path", "Description", "MaxSessionDuration", "PermissionsBoundary")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it. A managed policy that does not exist is refused, as by IAM."""
    iam = aws.client("iam")
    answer = iam.create_role(
        RoleName=resource.properties.get("RoleName", resource.name),
        AssumeRolePolicyDocument=_text(resource.properties["AssumeRolePolicyDocument"]),
        **picked(resource.properties, *_NAMES),
        **with_tags(resource),
    )["Role"]
    made = PhysicalResource(answer["RoleName"], {"Arn": answer["Arn"], "RoleId": answer["RoleId"]})
    try:
        _give(aws, made.id, resource)
    except Exception:
        _strip(aws, made.id)
        iam.delete_role(RoleName=made.id)
        raise
    return made


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Give it what it is to have, and nothing else."""
    iam = aws.client("iam")
    iam.update_assume_role_policy(
        RoleName=physical.id, PolicyDocument=_text(resource.properties["AssumeRolePolicyDocument"])
    )
    iam.update_role(RoleName=physical.id, **picked(resource.properties, "Description", "MaxSessionDuration"))
    if boundary := resource.properties.get("PermissionsBoundary"):
        iam.put_role_permissions_boundary(RoleName=physical.id, PermissionsBoundary=boundary)
    elif physical.logical is not None and "PermissionsBoundary" in physical.logical.properties:
        iam.delete_role_permissions_boundary(RoleName=physical.id)
    for name, arn in _own(physical):
        _take(aws, physical.id, name, arn)
    _give(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Take away what the template gave it, and delete it. IAM refuses where somebody else gave it more."""
    for name, arn in _own(physical):
        _take(aws, physical.id, name, arn)
    aws.client("iam").delete_role(RoleName=physical.id)


def _give(aws: Aws, role: str, resource: LogicalResource) -> None:
    iam = aws.client("iam")
    for arn in resource.properties.get("ManagedPolicyArns", []):
        iam.attach_role_policy(RoleName=role, PolicyArn=arn)
    for policy in resource.properties.get("Policies", []):
        document = _text(policy["PolicyDocument"])
        iam.put_role_policy(RoleName=role, PolicyName=policy["PolicyName"], PolicyDocument=document)


def _own(physical: PhysicalResource) -> list[tuple[str, str]]:
    """Return the names of inline policies and the ARNs of managed ones that the template gave."""
    properties = physical.logical.properties if physical.logical else {}
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
