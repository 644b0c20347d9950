"""IAM: roles, their policies and instance profiles."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceError,
    ResourceType,
    with_tags,
    written_properties,
)

_NAMES = ("Path", "Description", "MaxSessionDuration", "PermissionsBoundary")


def _create_role(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it. A managed policy that does not exist is refused, as by IAM."""
    iam = aws.client("iam")
    answer = iam.create_role(
        RoleName=resource.properties.get("RoleName", resource.name),
        AssumeRolePolicyDocument=_text(resource.properties["AssumeRolePolicyDocument"]),
        **written_properties(resource.properties, *_NAMES),
        **with_tags(resource),
    )["Role"]
    physical = PhysicalResource(answer["RoleName"], {"Arn": answer["Arn"], "RoleId": answer["RoleId"]})
    try:
        _give(aws, physical.id, resource)
    except Exception:
        _strip(aws, physical.id)
        iam.delete_role(RoleName=physical.id)
        raise
    return physical


def _update_role(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Give it what it is to have, and nothing else."""
    iam = aws.client("iam")
    iam.update_assume_role_policy(
        RoleName=physical.id, PolicyDocument=_text(resource.properties["AssumeRolePolicyDocument"])
    )
    iam.update_role(
        RoleName=physical.id, **written_properties(resource.properties, "Description", "MaxSessionDuration")
    )
    if boundary := resource.properties.get("PermissionsBoundary"):
        iam.put_role_permissions_boundary(RoleName=physical.id, PermissionsBoundary=boundary)
    elif physical.logical is not None and "PermissionsBoundary" in physical.logical.properties:
        iam.delete_role_permissions_boundary(RoleName=physical.id)
    for name, arn in _own_policies(physical):
        _take(aws, physical.id, name, arn)
    _give(aws, physical.id, resource)
    return physical


def _delete_role(aws: Aws, physical: PhysicalResource) -> None:
    """Take away what the template gave it, and delete it. IAM refuses where somebody else gave it more."""
    for name, arn in _own_policies(physical):
        _take(aws, physical.id, name, arn)
    aws.client("iam").delete_role(RoleName=physical.id)


def _give(aws: Aws, role: str, resource: LogicalResource) -> None:
    iam = aws.client("iam")
    for arn in resource.properties.get("ManagedPolicyArns", []):
        iam.attach_role_policy(RoleName=role, PolicyArn=arn)
    for policy in resource.properties.get("Policies", []):
        document = _text(policy["PolicyDocument"])
        iam.put_role_policy(RoleName=role, PolicyName=policy["PolicyName"], PolicyDocument=document)


def _own_policies(physical: PhysicalResource) -> list[tuple[str, str]]:
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


def _create_policy(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Write it into every role that it names."""
    _put(aws, resource)
    return PhysicalResource(resource.name)


def _update_policy(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
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


def _delete_policy(aws: Aws, physical: PhysicalResource) -> None:
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


_HOLDERS = {"Roles": ("role", "RoleName"), "Users": ("user", "UserName"), "Groups": ("group", "GroupName")}


def _create_managed_policy(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and attach it where the template says."""
    answer = aws.client("iam").create_policy(
        PolicyName=resource.properties.get("ManagedPolicyName", resource.name),
        PolicyDocument=json.dumps(resource.properties["PolicyDocument"]),
        **written_properties(resource.properties, "Path", "Description"),
        **with_tags(resource),
    )
    arn = answer["Policy"]["Arn"]
    _attach(aws, arn, resource)
    return PhysicalResource(arn, {"PolicyArn": arn, "PolicyId": answer["Policy"]["PolicyId"]})


def _update_managed_policy(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Give it a new version, and take the old one away."""
    iam = aws.client("iam")
    document = json.dumps(resource.properties["PolicyDocument"])
    former = iam.get_policy(PolicyArn=physical.id)["Policy"]["DefaultVersionId"]
    iam.create_policy_version(PolicyArn=physical.id, PolicyDocument=document, SetAsDefault=True)
    iam.delete_policy_version(PolicyArn=physical.id, VersionId=former)
    _attach(aws, physical.id, resource)
    return physical


def _delete_managed_policy(aws: Aws, physical: PhysicalResource) -> None:
    """Detach it from whoever the template named, and delete it. IAM refuses while others have it."""
    iam = aws.client("iam")
    for holders, (kind, name) in _HOLDERS.items():
        for holder in (physical.logical.properties if physical.logical else {}).get(holders, []):
            getattr(iam, f"detach_{kind}_policy")(PolicyArn=physical.id, **{name: holder})
    for version in iam.list_policy_versions(PolicyArn=physical.id)["Versions"]:
        if not version["IsDefaultVersion"]:
            iam.delete_policy_version(PolicyArn=physical.id, VersionId=version["VersionId"])
    iam.delete_policy(PolicyArn=physical.id)


def _attach(aws: Aws, arn: str, resource: LogicalResource) -> None:
    for holders, (kind, name) in _HOLDERS.items():
        for holder in resource.properties.get(holders, []):
            getattr(aws.client("iam"), f"attach_{kind}_policy")(PolicyArn=arn, **{name: holder})


def _create_instance_profile(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and put the role into it."""
    iam = aws.client("iam")
    name = resource.properties.get("InstanceProfileName", resource.name)
    arn = iam.create_instance_profile(InstanceProfileName=name, **written_properties(resource.properties, "Path"))[
        "InstanceProfile"
    ]["Arn"]
    for role in resource.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=name, RoleName=role)
    return PhysicalResource(name, {"Arn": arn})


def _update_instance_profile(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Put another role into it."""
    iam = aws.client("iam")
    _empty(aws, physical.id)
    for role in resource.properties["Roles"]:
        iam.add_role_to_instance_profile(InstanceProfileName=physical.id, RoleName=role)
    return physical


def _delete_instance_profile(aws: Aws, physical: PhysicalResource) -> None:
    """Empty it, and delete it."""
    _empty(aws, physical.id)
    aws.client("iam").delete_instance_profile(InstanceProfileName=physical.id)


def _empty(aws: Aws, name: str) -> None:
    iam = aws.client("iam")
    for role in iam.get_instance_profile(InstanceProfileName=name)["InstanceProfile"]["Roles"]:
        iam.remove_role_from_instance_profile(InstanceProfileName=name, RoleName=role["RoleName"])


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::IAM::Role": ResourceType(_create_role, _delete_role, _update_role),
    "AWS::IAM::Policy": ResourceType(_create_policy, _delete_policy, _update_policy),
    "AWS::IAM::ManagedPolicy": ResourceType(_create_managed_policy, _delete_managed_policy, _update_managed_policy),
    "AWS::IAM::InstanceProfile": ResourceType(
        _create_instance_profile, _delete_instance_profile, _update_instance_profile
    ),
}
