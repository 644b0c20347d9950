"""The forms of text that a spec uses: names, ids, places. What AWS accepts, with the source of each form."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import Text

# ParallelCluster: at most 60 characters, letters, digits and hyphens, a letter first.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.create-cluster-v3.html
ClusterName = Annotated[
    str, Text(r"^[a-zA-Z][a-zA-Z0-9-]{0,59}$", "1 to 60 letters, digits and hyphens, beginning with a letter")
]
# Queue and compute resource names: at most 25 characters, lower case.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Name
# https://docs.aws.amazon.com/parallelcluster/latest/ug/LoginNodes-v3.html#yaml-LoginNodes-Pools-Name
PoolName = Annotated[
    str, Text(r"^[a-z][a-z0-9-]{0,24}$", "1 to 25 lower-case letters, digits and hyphens, beginning with a letter")
]
QueueName = Annotated[
    str, Text(r"^[a-z][a-z0-9-]{0,24}$", "1 to 25 lower-case letters, digits and hyphens, beginning with a letter")
]
Region = Annotated[str, Text(r"^[a-z]{2,4}(-[a-z]+)+-[0-9]$", "an AWS region such as us-east-2")]
AvailabilityZone = Annotated[
    str,
    Text(
        r"^[a-z]{2,4}(-[a-z]+)+-[0-9][a-z]$|^[a-z]{2}(-[a-z]+)+-[0-9]-[a-z]{3}-[0-9][a-z]$", "a zone such as us-east-2a"
    ),
]
InstanceTypeName = Annotated[str, Text(r"^[a-z0-9-]+\.[a-z0-9-]+$", "an instance type such as p5.48xlarge")]


def version_of_tag(text: str) -> str:
    """Return the version that a tag names: 2.28.9-1 for v2.28.9-1, and 1.17.2 for v1.17.2-aws.

    aws-ofi-nccl has had tags without -aws since 1.14.0: https://github.com/aws/aws-ofi-nccl/tags
    """
    return text.removeprefix("v").removesuffix("-aws")


Version = Annotated[
    str, Text(r"^v?[0-9]+\.[0-9]+\.[0-9]+$", 'a version such as "3.16.1", in full', normal=version_of_tag)
]
_BYTE = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_IPV4 = rf"({_BYTE}\.){{3}}{_BYTE}/(3[0-2]|[12]?[0-9])"
# ParallelCluster takes no IPv6 ranges for SSH: its schema knows them as neither range nor prefix list.
Cidr = Annotated[str, Text(f"^{_IPV4}$", "an IPv4 address range such as 203.0.113.7/32")]
IpAddress = Annotated[str, Text(rf"^({_BYTE}\.){{3}}{_BYTE}$", "an IPv4 address such as 203.0.113.7")]
# Linux takes 255 bytes a name: NAME_MAX of https://man7.org/linux/man-pages/man0/limits.h.0p.html
MountDir = Annotated[
    str,
    Text(
        r"^(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})+$",
        "an absolute directory such as /fsx, each name of at most 255 characters",
        longest=1024,
    ),
]
DataPath = Annotated[
    str,
    Text(
        r"^(/|(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,254})+)$",
        "a directory below the mount such as /data, or / for all of it",
        longest=1024,
    ),
]
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateKeyPair.html: up to 255 ASCII characters.
# Shorter here and without spaces at the ends, so that it can be typed on a command line.
KeyPairName = Annotated[str, Text(r"^[!-~]([ -~]*[!-~])?$", "the name of an EC2 key pair, without .pem", longest=255)]
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
BucketName = Annotated[str, Text(r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$", "the name of an S3 bucket, without s3://")]
BucketUri = Annotated[
    str,
    Text(r"^s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[^\s]*)?$", "a bucket or prefix such as s3://my-bucket/datasets"),
]
# A path of at most 512 characters and a name prefix of at most 30:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/Iam-v3.html#yaml-Iam-ResourcePrefix
ResourcePrefix = Annotated[
    str,
    Text(
        r"^(/[A-Za-z0-9_+=,.@/-]{0,510}/|/)?[A-Za-z0-9_-]{0,30}$",
        "an IAM path, a name prefix of at most 30 characters or both, such as /team/ml-",
        longest=542,
    ),
]


# What custom actions take: https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html
ScriptUrl = Annotated[
    str,
    Text(
        r"^(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]|https://[A-Za-z0-9._-]+)/[^\s?#]+$",
        "the URL of a script such as s3://my-bucket/scripts/setup.sh",
    ),
]
# The address that SNS mails to; RFC 5321 allows more, which no mail program takes.
# https://docs.aws.amazon.com/sns/latest/dg/sns-email-notifications.html
EmailAddress = Annotated[
    str,
    Text(
        r"^[A-Za-z0-9_%+-]+(\.[A-Za-z0-9_%+-]+)*@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$",
        "a mail address such as ml-team@example.com",
        longest=254,
    ),
]
ProxyUrl = Annotated[str, Text(r"^https?://[A-Za-z0-9.-]+:[0-9]+$", "a proxy such as http://proxy.example.com:3128")]
HostName = Annotated[
    str,
    Text(r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$",
         "the name or address of a host such as db.example.com, without a scheme or port"),
]  # fmt: skip


def _id(prefix: str, what: str) -> Text:
    # 8 or 17 hexadecimal digits: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
    return Text(rf"^{prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})$", f"{what} such as {prefix}-0123456789abcdef0")


AmiId = Annotated[str, _id("ami", "the id of a machine image")]
CapacityReservationId = Annotated[str, _id("cr", "the id of a capacity reservation")]
FileSystemId = Annotated[str, _id("fs", "the id of a file system")]
SecurityGroupId = Annotated[str, _id("sg", "the id of a security group")]
SubnetId = Annotated[str, _id("subnet", "the id of a subnet")]
VolumeId = Annotated[str, _id("vol", "the id of an EBS volume")]
VpcId = Annotated[str, _id("vpc", "the id of a VPC")]
ZfsVolumeId = Annotated[str, _id("fsvol", "the id of an FSx for OpenZFS volume")]
ReservationGroupArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:resource-groups:[a-z0-9-]+:[0-9]{12}:group/[!-~]+$",
        "the ARN of a reservation group such as arn:aws:resource-groups:us-east-2:123456789012:group/my-group",
    ),
]
# A path of visible ASCII, and a name: https://docs.aws.amazon.com/IAM/latest/APIReference/API_Policy.html
IamPolicyArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:iam::([0-9]{12}|aws):policy/([!-~]*/)?[A-Za-z0-9_+=,.@-]+$",
        "the ARN of an IAM policy such as arn:aws:iam::123456789012:policy/p",
    ),
]
SecretArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+$",
        "the ARN of a secret such as arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf",
        secret=True,
    ),
]
# A policy of IAM that names a secret without what Secrets Manager adds to its name allows nothing.
# https://docs.aws.amazon.com/secretsmanager/latest/userguide/troubleshoot.html#ARN_secretnamehyphen
FullSecretArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$",
        "the whole ARN of a secret, with the hyphen and six characters at its end, such as "
        "arn:aws:secretsmanager:us-east-2:123456789012:secret:name-AbCdEf",
        secret=True,
    ),
]
CertificateArn = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:acm:[a-z0-9-]+:[0-9]{12}:certificate/[A-Za-z0-9-]+$",
        "the ARN of a certificate such as arn:aws:acm:us-east-2:123456789012:certificate/…",
    ),
]
KmsKey = Annotated[
    str,
    Text(
        r"^arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[A-Za-z0-9-]+$",
        "the ARN of a KMS key such as arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012",
    ),
]
AccessPointId = Annotated[str, Text(r"^fsap-[0-9a-f]{17}$", "the id of an access point such as fsap-0123456789abcdef0")]
