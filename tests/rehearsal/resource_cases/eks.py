"""Resources of AWS: Amazon EKS, its control plane, its nodes and who may use it."""

from __future__ import annotations

from typing import Any

from tests.rehearsal.cloud import TRUST
from tests.rehearsal.resource_cases.parts import NETWORK, Cases, att, ref, resource

_PARTS: dict[str, Any] = {
    **NETWORK,
    "ServiceRole": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
    "NodeRole": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
}
_CLUSTER = resource(
    "EKS::Cluster",
    Version="1.35",
    RoleArn=att("ServiceRole", "Arn"),
    AccessConfig={"AuthenticationMode": "API"},
    ResourcesVpcConfig={
        "SubnetIds": [ref("Subnet"), ref("Other")],
        "SecurityGroupIds": [ref("Group")],
        "EndpointPrivateAccess": "true",
    },
)
_TEMPLATE = resource(
    "EC2::LaunchTemplate",
    LaunchTemplateData={"MetadataOptions": {"HttpTokens": "required"}, "SecurityGroupIds": [ref("Group")]},
)

CASES: Cases = {
    "EKS::Cluster": (
        {**_PARTS, "It": _CLUSTER},
        ["Arn", "Endpoint", "CertificateAuthorityData", "ClusterSecurityGroupId", "OpenIdConnectIssuerUrl"],
    ),
    "EKS::Nodegroup": (
        {
            **_PARTS,
            "Cluster": _CLUSTER,
            "Template": _TEMPLATE,
            "It": resource(
                "EKS::Nodegroup",
                ClusterName=ref("Cluster"),
                NodeRole=att("NodeRole", "Arn"),
                Subnets=[ref("Subnet")],
                InstanceTypes=["c5.2xlarge"],
                LaunchTemplate={"Id": ref("Template"), "Version": att("Template", "LatestVersionNumber")},
                ScalingConfig={"MinSize": 0, "DesiredSize": "1", "MaxSize": 2},
                Labels={"pool": "one"},
                Taints=[{"Key": "nvidia.com/gpu", "Value": "true", "Effect": "NO_SCHEDULE"}],
                NodeRepairConfig={"Enabled": True},
            ),
        },
        ["Arn", "ClusterName", "NodegroupName"],
    ),
    "EKS::AccessEntry": (
        {
            **_PARTS,
            "Cluster": _CLUSTER,
            "It": resource(
                "EKS::AccessEntry",
                ClusterName=ref("Cluster"),
                PrincipalArn=att("NodeRole", "Arn"),
                AccessPolicies=[
                    {
                        "PolicyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
                        "AccessScope": {"Type": "namespace", "Namespaces": ["default"]},
                    }
                ],
            ),
        },
        ["AccessEntryArn"],
    ),
}
