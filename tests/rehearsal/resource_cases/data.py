"""Resources of AWS: volumes, file systems, buckets and tables."""

from __future__ import annotations

from tests.rehearsal.resource_cases.parts import NETWORK, Cases, att, ref, resource

CASES: Cases = {
    "EC2::Volume": (
        {"It": resource("EC2::Volume", AvailabilityZone="us-east-2a", Size="200", VolumeType="gp3", Encrypted=True)},
        ["VolumeId"],
    ),
    "FSx::FileSystem (Lustre)": (
        {
            **NETWORK,
            "It": resource(
                "FSx::FileSystem",
                FileSystemType="LUSTRE",
                StorageCapacity=4800,
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
                LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
            ),
        },
        ["DNSName", "LustreMountName", "ResourceARN"],
    ),
    "FSx::FileSystem (OpenZFS)": (
        {
            **NETWORK,
            "It": resource(
                "FSx::FileSystem",
                FileSystemType="OPENZFS",
                StorageCapacity=512,
                SubnetIds=[ref("Subnet")],
                SecurityGroupIds=[ref("Group")],
                OpenZFSConfiguration={
                    "DeploymentType": "SINGLE_AZ_1",
                    "ThroughputCapacity": 64,
                    "Options": ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"],
                },
            ),
        },
        ["DNSName", "ResourceARN", "RootVolumeId"],
    ),
    "FSx::DataRepositoryAssociation": (
        {
            **NETWORK,
            "Bucket": resource("S3::Bucket"),
            "Lustre": resource(
                "FSx::FileSystem",
                FileSystemType="LUSTRE",
                StorageCapacity=4800,
                SubnetIds=[ref("Subnet")],
                LustreConfiguration={"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
            ),
            "It": resource(
                "FSx::DataRepositoryAssociation",
                FileSystemId=ref("Lustre"),
                FileSystemPath="/data",
                DataRepositoryPath={"Fn::Sub": "s3://${Bucket}/data"},
                S3={"AutoImportPolicy": {"Events": ["NEW"]}},
            ),
        },
        ["AssociationId", "ResourceARN"],
    ),
    "S3::BucketPolicy": (
        {
            "Bucket": resource("S3::Bucket"),
            "It": resource(
                "S3::BucketPolicy",
                Bucket=ref("Bucket"),
                PolicyDocument={
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Deny",
                            "Principal": "*",
                            "Action": "s3:*",
                            "Resource": att("Bucket", "Arn"),
                            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                        }
                    ],
                },
            ),
        },
        [],
    ),
    "EFS::MountTarget": (
        {
            **NETWORK,
            "Efs": resource("EFS::FileSystem", Encrypted=True),
            "It": resource(
                "EFS::MountTarget", FileSystemId=ref("Efs"), SubnetId=ref("Subnet"), SecurityGroups=[ref("Group")]
            ),
        },
        [],
    ),
    "DynamoDB::Table": (
        {
            "It": resource(
                "DynamoDB::Table",
                AttributeDefinitions=[{"AttributeName": "Id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "Id", "KeyType": "HASH"}],
                BillingMode="PAY_PER_REQUEST",
            )
        },
        [],
    ),
}
