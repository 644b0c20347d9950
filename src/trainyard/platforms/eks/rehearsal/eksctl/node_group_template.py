"""The template of a managed node group: the role of its nodes, its launch template unless it has one, and itself.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/managed_nodegroup.go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trainyard.catalog.instances import find
from trainyard.platforms.eks.rehearsal.eksctl.launch_template import is_of_block, launch_template
from trainyard.platforms.eks.rehearsal.eksctl.names import CLUSTER_TAG, GROUP_TAG, group_tags

_EFFECTS = {"NoSchedule": "NO_SCHEDULE", "NoExecute": "NO_EXECUTE", "PreferNoSchedule": "PREFER_NO_SCHEDULE"}
_ROLE = "NodeInstanceRole"
_DEFAULTS = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")
_CNI = "AmazonEKS_CNI_Policy"
# Add-on policies that are policies of AWS; the others are written into the template, each for its own service.
_MANAGED = {"imageBuilder": "AmazonEC2ContainerRegistryPowerUser", "cloudWatch": "CloudWatchAgentServerPolicy"}
_SERVICES = {"autoScaler": "autoscaling", "ebs": "ec2", "efs": "elasticfilesystem", "fsx": "fsx"}


def node_group_template(
    config: Mapping[str, Any], group: Mapping[str, Any], subnets: Sequence[str], cards: int, launched: Sequence[str]
) -> dict[str, Any]:
    """Return the template of a group, with its subnets and the number of network cards of its instance type.

    ``launched`` are its instance types, whether it names them or its launch template does: they decide about the image.
    """
    own = {} if "launchTemplate" in group else launch_template(config, group, cards)
    named = group.get("launchTemplate") or {"id": {"Ref": "LaunchTemplate"}}
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "EKS Managed Nodes (SSH access: false) [created by eksctl]",
        "Resources": {
            **node_role(config, group),
            **own,
            "ManagedNodeGroup": {
                "Type": "AWS::EKS::Nodegroup",
                "Properties": {
                    **_properties(config, group, subnets, named),
                    **({} if "ami" in group else {"AmiType": _image(launched)}),
                },
            },
        },
    }


def instance_types(group: Mapping[str, Any]) -> list[str]:
    """Return the types that a group names; none where its launch template does."""
    single = [group["instanceType"]] if "instanceType" in group else []
    return list(group.get("instanceTypes") or single)


def _properties(
    config: Mapping[str, Any], group: Mapping[str, Any], subnets: Sequence[str], template: Mapping[str, Any]
) -> dict[str, Any]:
    name, cluster = group["name"], config["metadata"]["name"]
    sizes = {"MinSize": "minSize", "DesiredSize": "desiredCapacity", "MaxSize": "maxSize"}
    taints = [
        {"Key": taint["key"], "Value": taint.get("value", ""), "Effect": _EFFECTS[taint["effect"]]}
        for taint in group.get("taints", ())
    ]
    version = template.get("version")
    types = [] if is_of_block(group) else instance_types(group)
    return {
        "ClusterName": cluster,
        "NodegroupName": name,
        "NodeRole": {"Fn::GetAtt": [_ROLE, "Arn"]},
        "Subnets": list(subnets),
        "ScalingConfig": {key: group[size] for key, size in sizes.items()},
        "Labels": {CLUSTER_TAG: cluster, GROUP_TAG: name, **group.get("labels", {})},
        "Tags": {**group_tags(name), **config["metadata"].get("tags", {}), **group.get("tags", {})},
        "LaunchTemplate": {"Id": template["id"], **({} if version is None else {"Version": version})},
        **({"Taints": taints} if taints else {}),
        **({"InstanceTypes": types} if types else {}),
        **_capacity(group),
        **({"NodeRepairConfig": {"Enabled": True}} if group.get("nodeRepairConfig", {}).get("enabled") else {}),
    }


def _capacity(group: Mapping[str, Any]) -> dict[str, str]:
    if is_of_block(group):
        return {"CapacityType": "CAPACITY_BLOCK"}
    return {"CapacityType": "SPOT"} if group.get("spot") else {}


def _image(types: Sequence[str]) -> str:
    """Return the kind of image for instance types: that of the first accelerators among them."""
    facts = [instance_type for name in types if (instance_type := find(name)) is not None]
    vendors = [fact.accelerators.vendor for fact in facts if fact.accelerators is not None]
    if "nvidia" in vendors:
        return "AL2023_ARM_64_NVIDIA" if facts[0].architecture == "arm64" else "AL2023_x86_64_NVIDIA"
    if "aws" in vendors:
        return "AL2023_x86_64_NEURON"
    return "AL2023_ARM_64_STANDARD" if facts and facts[0].architecture == "arm64" else "AL2023_x86_64_STANDARD"


def node_role(config: Mapping[str, Any], group: Mapping[str, Any]) -> dict[str, Any]:
    """Return the role with its policies."""
    iam = group.get("iam", {})
    policies = [name for name, enabled in iam.get("withAddonPolicies", {}).items() if enabled]
    names = [
        *([] if iam.get("attachPolicyARNs") else _defaults(config)),
        *(_MANAGED[policy] for policy in policies if policy in _MANAGED),
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
    return {**role, **{f"Policy{name.upper()}": _policy(name) for name in policies if name in _SERVICES}}


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
