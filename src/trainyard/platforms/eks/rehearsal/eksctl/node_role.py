"""The role of the nodes of a group.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/iam_helper.go
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEFAULTS = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
_CNI = "AmazonEKS_CNI_Policy"
# Add-on policies that are policies of AWS; the others are written into the template, each for its own service.
_MANAGED = {"imageBuilder": "AmazonEC2ContainerRegistryPowerUser", "cloudWatch": "CloudWatchAgentServerPolicy"}
_SERVICES = {"autoScaler": "autoscaling", "ebs": "ec2", "efs": "elasticfilesystem", "fsx": "fsx"}


def node_role(config: Mapping[str, Any], group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the role with its policies."""
    iam = group.get("iam", {})
    wanted = [name for name, enabled in iam.get("withAddonPolicies", {}).items() if enabled]
    names = [
        *([] if iam.get("attachPolicyARNs") else _defaults(config)),
        *(_MANAGED[one] for one in wanted if one in _MANAGED),
    ]
    trust = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": ["sts:AssumeRole"]}
    boundary = iam.get("instanceRolePermissionsBoundary")
    properties = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "ManagedPolicyArns": [
            *({"Fn::Sub": f"arn:${{AWS::Partition}}:iam::aws:policy/{name}"} for name in names),
            *iam.get("attachPolicyARNs", ()),
        ],
        "Path": "/",
        **({} if boundary is None else {"PermissionsBoundary": boundary}),
    }
    role = {"NodeInstanceRole": {"Type": "AWS::IAM::Role", "Properties": properties}}
    return {**role, **{f"Policy{name.upper()}": _policy(name) for name in wanted if name in _SERVICES}}


def _defaults(config: Mapping[str, Any]) -> list[str]:
    """Return what nodes may do by default; vpc-cni has a role of its own where it says so, or with OIDC."""
    addons = {addon["name"]: addon for addon in config.get("addons", ())}
    own = addons.get("vpc-cni", {}).get("useDefaultPodIdentityAssociations") or config.get("iam", {}).get("withOIDC")
    return [*_DEFAULTS, *(() if own else (_CNI,))]


def _policy(name: str) -> dict[str, Any]:
    allowed = {"Effect": "Allow", "Action": [f"{_SERVICES[name]}:*"], "Resource": "*"}
    document = {"Version": "2012-10-17", "Statement": [allowed]}
    where = {
        "PolicyName": {"Fn::Sub": f"${{AWS::StackName}}-Policy{name.upper()}"},
        "Roles": [{"Ref": "NodeInstanceRole"}],
    }
    return {"Type": "AWS::IAM::Policy", "Properties": {**where, "PolicyDocument": document}}
