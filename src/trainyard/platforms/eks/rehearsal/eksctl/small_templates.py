"""The templates of a single thing: the role of a service account, and an access entry.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/access_entry.go
https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/podidentityassociation/iam_role_creator.go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

ROLE = "Role1"
"""Logical id of the role, and the output with its ARN."""


def role_template(policies: Sequence[str], boundary: str | None = None) -> dict[str, Any]:
    """Return a role that pods of a service account take."""
    principal = {"Service": "pods.eks.amazonaws.com"}
    trust = {"Effect": "Allow", "Principal": principal, "Action": ["sts:AssumeRole", "sts:TagSession"]}
    properties = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "ManagedPolicyArns": list(policies),
        **({} if boundary is None else {"PermissionsBoundary": boundary}),
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Resources": {ROLE: {"Type": "AWS::IAM::Role", "Properties": properties}},
        "Outputs": {ROLE: {"Value": {"Fn::GetAtt": [ROLE, "Arn"]}}},
    }


def access_template(cluster: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return an access entry."""
    policies = [
        {
            "PolicyArn": access_policy["policyARN"],
            "AccessScope": {key.capitalize(): value for key, value in access_policy["accessScope"].items()},
        }
        for access_policy in entry.get("accessPolicies", ())
    ]
    properties = {
        "ClusterName": cluster,
        "PrincipalArn": entry["principalARN"],
        **({"AccessPolicies": policies} if policies else {}),
        **({"KubernetesGroups": entry["kubernetesGroups"]} if entry.get("kubernetesGroups") else {}),
    }
    resource = {"Type": "AWS::EKS::AccessEntry", "Properties": properties}
    return {"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"AccessEntry": resource}}
