"""Resources of AWS: machines, what they start from and what they may do."""

from __future__ import annotations

from tests.rehearsal import cloud
from tests.rehearsal.cloud import TRUST
from tests.rehearsal.resource_cases.parts import NETWORK, POLICY, Cases, ref, resource

CASES: Cases = {
    "EC2::PlacementGroup": ({"It": resource("EC2::PlacementGroup", Strategy="cluster")}, ["GroupName"]),
    "EC2::CapacityReservation": (
        {
            "It": resource(
                "EC2::CapacityReservation",
                AvailabilityZone="us-east-2a",
                InstanceType="p5.48xlarge",
                InstanceCount=2,
                InstancePlatform="Linux/UNIX",
            )
        },
        ["AvailableInstanceCount", "TotalInstanceCount"],
    ),
    "EC2::KeyPair": (
        {"It": resource("EC2::KeyPair", KeyName=cloud.some_name(), KeyType="ed25519")},
        ["KeyFingerprint", "KeyPairId"],
    ),
    "ImageBuilder::Component": (
        {"It": resource("ImageBuilder::Component", Name="Part", Version="3.16.1", Platform="Linux", Data="phases: []")},
        ["Arn"],
    ),
    "ImageBuilder::DistributionConfiguration": (
        {"It": resource("ImageBuilder::DistributionConfiguration", Name="To", Distributions=[{"Region": "us-east-2"}])},
        ["Arn"],
    ),
    "ImageBuilder::ImageRecipe": (
        {"It": resource("ImageBuilder::ImageRecipe", Name="All", Version="3.16.1", ParentImage="ami-0", Components=[])},
        ["Arn"],
    ),
    "ImageBuilder::InfrastructureConfiguration": (
        {"It": resource("ImageBuilder::InfrastructureConfiguration", Name="On", InstanceProfileName="builder")},
        ["Arn"],
    ),
    "IAM::ManagedPolicy": (
        {
            "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
            "It": resource("IAM::ManagedPolicy", Path="/team/", PolicyDocument=POLICY, Roles=[ref("Role")]),
        },
        ["PolicyArn"],
    ),
    "IAM::InstanceProfile": (
        {
            "Boundary": resource("IAM::ManagedPolicy", PolicyDocument=POLICY),
            "Role": resource(
                "IAM::Role",
                AssumeRolePolicyDocument=TRUST,
                PermissionsBoundary=ref("Boundary"),
                ManagedPolicyArns=[{"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"}],
                Policies=[{"PolicyName": "own", "PolicyDocument": POLICY}],
            ),
            "It": resource("IAM::InstanceProfile", Roles=[ref("Role")]),
        },
        ["Arn"],
    ),
    "ResourceGroups::Group": (
        {
            "It": resource(
                "ResourceGroups::Group",
                Name=cloud.some_name(),
                Configuration=[
                    {"Type": "AWS::EC2::CapacityReservationPool"},
                    {
                        "Type": "AWS::ResourceGroups::Generic",
                        "Parameters": [{"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}],
                    },
                ],
            )
        },
        ["Arn"],
    ),
    "EC2::Instance": (
        {
            **NETWORK,
            "It": resource(
                "EC2::Instance",
                ImageId="{{resolve:ssm:/aws/service/ami-amazon-linux-latest/amzn2-ami-hvm-x86_64-gp2}}",
                InstanceType="t3.medium",
                SubnetId=ref("Subnet"),
                SecurityGroupIds=[ref("Group")],
                MetadataOptions={"HttpTokens": "required"},
            ),
        },
        ["PrivateIp", "AvailabilityZone"],
    ),
}
