"""A managed policy."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::IAM::ManagedPolicy"
_HOLDERS = {"Roles": ("role", "RoleName"), "Users": ("user", "UserName"), "Groups": ("group", "GroupName")}


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it, and attach it where the template says."""
    answer = aws.client("iam").create_policy(
        PolicyName=wanted.properties.get("ManagedPolicyName", wanted.name),
        PolicyDocument=json.dumps(wanted.properties["PolicyDocument"]),
        **picked(wanted.properties, "Path", "Description"),
        **with_tags(wanted),
    )
    arn = answer["Policy"]["Arn"]
    _attach(aws, arn, wanted)
    return Made(arn, {"PolicyArn": arn, "PolicyId": answer["Policy"]["PolicyId"]})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Give it a new version, and take the old one away."""
    iam = aws.client("iam")
    document = json.dumps(wanted.properties["PolicyDocument"])
    former = iam.get_policy(PolicyArn=made.id)["Policy"]["DefaultVersionId"]
    iam.create_policy_version(PolicyArn=made.id, PolicyDocument=document, SetAsDefault=True)
    iam.delete_policy_version(PolicyArn=made.id, VersionId=former)
    _attach(aws, made.id, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Detach it from whoever the template named, and delete it. IAM refuses while others have it."""
    iam = aws.client("iam")
    for holders, (kind, name) in _HOLDERS.items():
        for holder in (made.wanted.properties if made.wanted else {}).get(holders, []):
            getattr(iam, f"detach_{kind}_policy")(PolicyArn=made.id, **{name: holder})
    for version in iam.list_policy_versions(PolicyArn=made.id)["Versions"]:
        if not version["IsDefaultVersion"]:
            iam.delete_policy_version(PolicyArn=made.id, VersionId=version["VersionId"])
    iam.delete_policy(PolicyArn=made.id)


def _attach(aws: Aws, arn: str, wanted: Wanted) -> None:
    for holders, (kind, name) in _HOLDERS.items():
        for holder in wanted.properties.get(holders, []):
            getattr(aws.client("iam"), f"attach_{kind}_policy")(PolicyArn=arn, **{name: holder})
