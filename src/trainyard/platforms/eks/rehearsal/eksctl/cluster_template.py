"""The template of the control plane, in a VPC that exists: its role, a security group for nodes, and the cluster.

https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/cluster.go
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PORTS = {"IpProtocol": "-1", "FromPort": 0, "ToPort": 65535}
_SHARED = "ClusterSharedNodeSecurityGroup"
_EKS_GROUP = {"Fn::GetAtt": ["ControlPlane", "ClusterSecurityGroupId"]}


def cluster_template(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template for a configuration."""
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "EKS cluster (dedicated VPC: false, dedicated IAM: true) [created and managed by eksctl]",
        "Resources": {**_role(config), **_security_groups(config), "ControlPlane": _control_plane(config)},
        "Outputs": _outputs(config),
    }


def subnet_ids(config: Mapping[str, Any]) -> list[str]:
    """Return all subnets that a configuration names."""
    return [subnet["id"] for kind in config["vpc"]["subnets"].values() for subnet in kind.values()]


def _role(config: Mapping[str, Any]) -> dict[str, Any]:
    boundary = config.get("iam", {}).get("serviceRolePermissionsBoundary")
    trust = {
        "Effect": "Allow",
        "Principal": {"Service": "eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    policies = ("AmazonEKSClusterPolicy", "AmazonEKSVPCResourceController")
    properties = {
        "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trust]},
        "ManagedPolicyArns": [{"Fn::Sub": f"arn:${{AWS::Partition}}:iam::aws:policy/{name}"} for name in policies],
        **({} if boundary is None else {"PermissionsBoundary": boundary}),
    }
    return {"ServiceRole": {"Type": "AWS::IAM::Role", "Properties": properties}}


def _security_groups(config: Mapping[str, Any]) -> dict[str, Any]:
    group, shared = "AWS::EC2::SecurityGroup", {"Ref": _SHARED}
    rule = "AWS::EC2::SecurityGroupIngress"
    between = {"GroupId": shared, "SourceSecurityGroupId": shared, **_PORTS}
    to_nodes = {"GroupId": shared, "SourceSecurityGroupId": _EKS_GROUP, **_PORTS}
    to_cluster = {"GroupId": _EKS_GROUP, "SourceSecurityGroupId": shared, **_PORTS}
    described = {"GroupDescription": "Communication between all nodes in the cluster", "VpcId": config["vpc"]["id"]}
    return {
        _SHARED: {"Type": group, "Properties": described},
        "IngressInterNodeGroupSG": {"Type": rule, "Properties": between},
        "IngressDefaultClusterToNodeSG": {"Type": rule, "Properties": to_nodes},
        "IngressNodeToDefaultClusterSG": {"Type": rule, "Properties": to_cluster},
    }


def _control_plane(config: Mapping[str, Any]) -> dict[str, Any]:
    metadata, vpc = config["metadata"], config["vpc"]
    endpoints = vpc.get("clusterEndpoints", {"publicAccess": True, "privateAccess": False})
    ranges = vpc.get("publicAccessCIDRs")
    network = {
        "SubnetIds": subnet_ids(config),
        "SecurityGroupIds": vpc.get("controlPlaneSecurityGroupIDs", []),
        "EndpointPublicAccess": endpoints["publicAccess"],
        "EndpointPrivateAccess": endpoints["privateAccess"],
        **({"PublicAccessCidrs": ranges} if ranges else {}),
    }
    properties = {
        "Name": metadata["name"],
        "Version": str(metadata["version"]),
        "RoleArn": {"Fn::GetAtt": ["ServiceRole", "Arn"]},
        "BootstrapSelfManagedAddons": False,
        "ResourcesVpcConfig": network,
        "AccessConfig": {
            "AuthenticationMode": config.get("accessConfig", {}).get("authenticationMode", "API_AND_CONFIG_MAP"),
            "BootstrapClusterCreatorAdminPermissions": True,
        },
        "Tags": [{"Key": key, "Value": value} for key, value in metadata.get("tags", {}).items()],
        **_logging(config),
        **_encryption(config),
    }
    return {"Type": "AWS::EKS::Cluster", "Properties": properties}


def _logging(config: Mapping[str, Any]) -> dict[str, Any]:
    types = config.get("cloudWatch", {}).get("clusterLogging", {}).get("enableTypes", [])
    return {"Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": type_} for type_ in types]}}} if types else {}


def _encryption(config: Mapping[str, Any]) -> dict[str, Any]:
    key = config.get("secretsEncryption", {}).get("keyARN")
    return {"EncryptionConfig": [{"Resources": ["secrets"], "Provider": {"KeyArn": key}}]} if key else {}


def _outputs(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the outputs; those that are exported are what node groups import."""
    attributes = {"ARN": "Arn", "Endpoint": "Endpoint", "ClusterSecurityGroupId": "ClusterSecurityGroupId"}
    groups = config["vpc"].get("controlPlaneSecurityGroupIDs") or [_EKS_GROUP]
    values = {
        **{name: {"Fn::GetAtt": ["ControlPlane", attribute]} for name, attribute in attributes.items()},
        "SecurityGroup": groups[0],
        "SharedNodeSecurityGroup": {"Ref": _SHARED},
        "VPC": config["vpc"]["id"],
    }
    exported = {
        name: {"Value": value, "Export": {"Name": {"Fn::Sub": f"${{AWS::StackName}}::{name}"}}}
        for name, value in values.items()
    }
    authority = {"Value": {"Fn::GetAtt": ["ControlPlane", "CertificateAuthorityData"]}}
    return {**exported, "CertificateAuthorityData": authority, "ClusterStackName": {"Value": {"Ref": "AWS::StackName"}}}
