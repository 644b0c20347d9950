"""A managed policy."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::IAM::ManagedPolicy"
_HOLDERS = {"Roles": ("role", "RoleName"), "Users": ("user", "UserName"), "Groups": ("group", "GroupName")}


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and attach it where the template says."""
    answer = aws.client("iam").create_policy(
        PolicyName=resource.properties.get("ManagedPolicyName", resource.name),
        PolicyDocument=json.dumps(resource.properties["PolicyDocument"]),
        **picked(resource.properties, "Path", "Description"),
        **with_tags(resource),
    )
    arn = answer["Policy"]["Arn"]
    _attach(aws, arn, resource)
    return PhysicalResource(arn, {"PolicyArn": arn, "PolicyId": answer["Policy"]["PolicyId"]})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Give it a new version, and take the old one away."""
    iam = aws.client("iam")
    document = json.dumps(resource.properties["PolicyDocument"])
    former = iam.get_policy(PolicyArn=physical.id)["Policy"]["DefaultVersionId"]
    iam.create_policy_version(PolicyArn=physical.id, PolicyDocument=document, SetAsDefault=True)
    iam.delete_policy_version(PolicyArn=physical.id, VersionId=former)
    _attach(aws, physical.id, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
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
