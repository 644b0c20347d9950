"""Resources of AWS: Batch with its nodes, and a registry for images."""

from __future__ import annotations

from tests.rehearsal import cloud
from tests.rehearsal.cloud import TRUST
from tests.rehearsal.resource_cases.parts import NETWORK, Cases, att, ref, resource

_ENVIRONMENT = {
    **NETWORK,
    "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
    "Profile": resource("IAM::InstanceProfile", Roles=[ref("Role")]),
    "Place": resource("EC2::PlacementGroup", Strategy="cluster"),
    "Template": resource(
        "EC2::LaunchTemplate",
        LaunchTemplateData={
            "NetworkInterfaces": [
                {"NetworkCardIndex": card, "DeviceIndex": 0, "InterfaceType": kind, "Groups": [ref("Group")]}
                for card, kind in enumerate(("efa", "efa-only"))
            ]
        },
    ),
    "Environment": resource(
        "Batch::ComputeEnvironment",
        Type="MANAGED",
        ComputeResources={
            "Type": "EC2",
            "AllocationStrategy": "BEST_FIT_PROGRESSIVE",
            "InstanceTypes": ["p4d.24xlarge"],
            "MinvCpus": 0,
            "MaxvCpus": "192",
            "Subnets": [ref("Subnet")],
            "InstanceRole": att("Profile", "Arn"),
            "PlacementGroup": ref("Place"),
            "LaunchTemplate": {
                "LaunchTemplateId": ref("Template"),
                "Version": att("Template", "LatestVersionNumber"),
            },
            "Tags": {"Name": "a node"},
        },
    ),
}
_CONTAINER = {
    "Image": "public.ecr.aws/docker/library/busybox:1.37",
    "Command": ["true"],
    "InstanceType": "p4d.24xlarge",
    "ResourceRequirements": [{"Type": "VCPU", "Value": "96"}, {"Type": "MEMORY", "Value": "1000000"}],
    "LogConfiguration": {"LogDriver": "awslogs", "Options": {"awslogs-stream-prefix": "it"}},
}

CASES: Cases = {
    "Batch::ComputeEnvironment": (
        {**_ENVIRONMENT, "It": {**_ENVIRONMENT["Environment"]}},
        ["ComputeEnvironmentArn"],
    ),
    "Batch::JobQueue": (
        {
            **_ENVIRONMENT,
            "It": resource(
                "Batch::JobQueue",
                JobQueueName=cloud.some_name(),
                Priority=1,
                ComputeEnvironmentOrder=[{"Order": 1, "ComputeEnvironment": ref("Environment")}],
            ),
        },
        ["JobQueueArn"],
    ),
    "Batch::JobDefinition": (
        {
            "It": resource(
                "Batch::JobDefinition",
                JobDefinitionName=cloud.some_name(),
                Type="multinode",
                NodeProperties={
                    "MainNode": 0,
                    "NumNodes": 2,
                    "NodeRangeProperties": [{"TargetNodes": "0:", "Container": _CONTAINER}],
                },
            ),
        },
        [],
    ),
    "ECR::Repository": (
        {
            "It": resource(
                "ECR::Repository", ImageTagMutability="IMMUTABLE", ImageScanningConfiguration={"ScanOnPush": True}
            )
        },
        ["Arn", "RepositoryUri"],
    ),
}
