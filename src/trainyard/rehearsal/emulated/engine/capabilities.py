"""Templates that make IAM resources need the caller's word for it.

https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-iam-template.html#using-iam-capabilities
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from trainyard.rehearsal.emulated.engine.refusals import CapabilitiesError

# Each with the property that gives it a name of its own, where it has one.
_IAM = {
    "AWS::IAM::AccessKey": "",
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": "",
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
    "AWS::IAM::UserToGroupAddition": "",
}


def check(template: Mapping[str, Any], granted: Collection[str]) -> None:
    """Raise CapabilitiesError where the template makes IAM resources and the caller did not say so."""
    iam_resources = [body for body in template["Resources"].values() if body["Type"] in _IAM]
    named = [body for body in iam_resources if _IAM[body["Type"]] in (body.get("Properties") or {})]
    if named and "CAPABILITY_NAMED_IAM" not in granted:
        raise CapabilitiesError("CAPABILITY_NAMED_IAM")
    if iam_resources and not {"CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"} & set(granted):
        raise CapabilitiesError("CAPABILITY_IAM")
