"""A spec that uses nearly everything, and an account that has all of it as the spec wants it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tests.deploy.preflights.recorded import RecordedAccount, Refusal, listing
from trainyard.deploy.preflights import PreflightContext, all_preflights
from trainyard.finding import path_text
from trainyard.rules import Problem
from trainyard.spec.parsing import parse

ACCOUNT = "123456789012"
VPC, PUBLIC, PRIVATE = "vpc-0123456789abcdef0", "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"
RESERVATION, IMAGE, LUSTRE = "cr-0123456789abcdef0", "ami-0123456789abcdef0", "fs-0123456789abcdef0"
GROUP, VOLUME, ZFS = "sg-0123456789abcdef0", "vol-0123456789abcdef0", "fsvol-0123456789abcdef0"
EFS, ACCESS_POINT, ADDRESS = "fs-0123456789abcdef2", "fsap-0123456789abcdef0", "203.0.113.7"
KEY = f"arn:aws:kms:us-east-2:{ACCOUNT}:key/12345678-1234-1234-1234-123456789012"
SECRET = f"arn:aws:secretsmanager:us-east-2:{ACCOUNT}:secret:directory-AbCdEf"
POLICY, BOUNDARY = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess", f"arn:aws:iam::{ACCOUNT}:policy/boundary"
CERTIFICATE = f"arn:aws:acm:us-east-2:{ACCOUNT}:certificate/12345678"

SPEC = f"""\
name: llm-p5
region: us-east-2
platform: parallelcluster
network:
  existing:
    vpc: {VPC}
    public_subnets: [{PUBLIC}]
    private_subnets: [{PRIVATE}]
    security_groups: [{GROUP}]
access:
  ssh_key: ml-key
  allow_from: [203.0.113.0/24]
  directory_service:
    domain: corp.example.com
    addresses: [ldaps://dc.example.com]
    read_only_user: cn=ReadOnly,dc=example,dc=com
    password_secret: {SECRET}
iam: {{permissions_boundary: "{BOUNDARY}", policies: ["{POLICY}"], kms_key: "{KEY}"}}
head_node: {{instance_type: m5.8xlarge, subnet: public, elastic_ip: {ADDRESS}}}
login_nodes: {{count: 1, instance_type: m5.large, subnet: public}}
image: {{os: ubuntu2204, ami: {IMAGE}}}
queues:
  - name: compute-gpu
    instance_type: p5.48xlarge
    nodes: 4
    capacity: {{reservation: {RESERVATION}}}
    custom_actions: {{before_setup: [{{script: s3://ml-scripts/setup.sh}}]}}
  - name: preprocess
    instance_type: m5.8xlarge
    nodes: {{min: 0, max: 4}}
file_systems:
  - {{mount: /fsx, lustre: {{id: {LUSTRE}}}}}
  - mount: /data
    lustre: {{size_gib: 4800, throughput_mb_s_per_tib: 250, data_repository: s3://ml-datasets/train}}
  - {{mount: /home, openzfs: {{id: {ZFS}}}}}
  - {{mount: /apps, ebs: {{id: {VOLUME}}}}}
  - {{mount: /shared, efs: {{id: {EFS}, access_point: {ACCESS_POINT}}}}}
monitoring: {{mode: amp+amg}}
assets: {{bucket: ml-assets}}
"""

# A spec that makes its own network, and nothing else of its own.
OWN_NETWORK = """\
name: llm-p5
region: us-east-2
platform: parallelcluster
network: {availability_zone: us-east-2a}
queues: [{name: compute-gpu, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]
"""

NOW = datetime.fromtimestamp(1_800_000_000, UTC)


def subnet(id_: str, **more: Any) -> dict[str, Any]:
    return {
        "SubnetId": id_, "VpcId": VPC, "AvailabilityZone": "us-east-2a", "AvailableIpAddressCount": 200,
        "MapPublicIpOnLaunch": id_ == PUBLIC, **more,
    }  # fmt: skip


def reservation(**more: Any) -> dict[str, Any]:
    return {
        "CapacityReservationId": RESERVATION, "OwnerId": ACCOUNT, "InstanceType": "p5.48xlarge",
        "InstancePlatform": "Linux/UNIX", "AvailabilityZone": "us-east-2a", "Tenancy": "default",
        "TotalInstanceCount": 4, "AvailableInstanceCount": 4, "State": "active", "ReservationType": "default", **more,
    }  # fmt: skip


def image(**more: Any) -> dict[str, Any]:
    return {
        "ImageId": IMAGE, "Name": "llm-2026-11", "State": "available", "Architecture": "x86_64",
        "PlatformDetails": "Linux/UNIX", "RootDeviceName": "/dev/sda1",
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 60}}],
        "Tags": [
            {"Key": "parallelcluster:version", "Value": "3.16.1"}, {"Key": "parallelcluster:os", "Value": "ubuntu2204"},
        ], **more,
    }  # fmt: skip


def route_table(id_: str, target: dict[str, str], *subnets: str) -> dict[str, Any]:
    associations = [{"SubnetId": one, "Main": False} for one in subnets]
    return {
        "RouteTableId": id_,
        "Associations": associations or [{"Main": True}],
        "Routes": [
            {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local", "State": "active"},
            {"DestinationCidrBlock": "0.0.0.0/0", "State": "active", **target},
        ],
    }


def quotas(vcpus: float = 1000, things: float = 5) -> Any:
    def answer(asked: Mapping[str, Any]) -> Any:
        counted_in_vcpus = asked["ServiceCode"] == "ec2" and asked["QuotaCode"] != "L-0263D0A3"
        name = {"L-417A185B": "Running On-Demand P instances"}.get(asked["QuotaCode"], asked["QuotaCode"])
        return {"Quota": {"QuotaName": name, "Value": vcpus if counted_in_vcpus else things}}

    return answer


def decisions(**of: str) -> Any:
    """Return what a simulation says: allowed, unless ``of`` says otherwise with _ for the colon."""

    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "EvaluationResults": [
                {"EvalActionName": name, "EvalDecision": of.get(name.replace(":", "_"), "allowed")}
                for name in asked["ActionNames"]
            ]
        }

    return answer


def no_stack(asked: Mapping[str, Any]) -> Refusal:
    return Refusal("ValidationError", f"Stack with id {asked['StackName']} does not exist")


def stack(name: str, status: str = "CREATE_COMPLETE", owner: str | None = "llm-p5", **outputs: str) -> Any:
    """Return an answer that knows one stack, which carries the tag of a cluster."""
    made = {
        "StackName": name,
        "StackId": f"arn:{name}",
        "StackStatus": status,
        "CreationTime": NOW,
        "Tags": [] if owner is None else [{"Key": "trainyard:cluster", "Value": owner}],
        "Outputs": [{"OutputKey": key, "OutputValue": value} for key, value in outputs.items()],
    }
    return lambda asked: {"Stacks": [made]} if asked["StackName"] == name else no_stack(asked)


def offered(*zones: str) -> Any:
    def answer(asked: Mapping[str, Any]) -> dict[str, Any]:
        names = next(filter_["Values"] for filter_ in asked["Filters"] if filter_["Name"] == "instance-type")
        return {"InstanceTypeOfferings": [{"InstanceType": name, "Location": zone} for name in names for zone in zones]}

    return answer


def encryption(key: str | None, algorithm: str = "aws:kms") -> dict[str, Any]:
    """Return what S3 says of a bucket with a KMS key, or with KMS and no key named."""
    default = {"SSEAlgorithm": algorithm} | ({} if key is None else {"KMSMasterKeyID": key})
    return {"ServerSideEncryptionConfiguration": {"Rules": [{"ApplyServerSideEncryptionByDefault": default}]}}


ANSWERS: dict[str, Any] = {
    "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": f"arn:aws:iam::{ACCOUNT}:user/ml", "UserId": "AIDA"},
    "ec2.DescribeRegions": {"Regions": [{"RegionName": "us-east-2", "OptInStatus": "opt-in-not-required"}]},
    "ec2.DescribeAvailabilityZones": {
        "AvailabilityZones": [
            {"ZoneName": f"us-east-2{letter}", "State": "available", "OptInStatus": "opt-in-not-required",
             "ZoneType": "availability-zone"} for letter in "abc"
        ]
    },
    "ec2.DescribeCapacityReservations": {"CapacityReservations": [reservation()]},
    "ec2.DescribeInstances": {"Reservations": []},
    "ec2.DescribeInstanceTypes": {"InstanceTypes": []},
    "ec2.DescribeInstanceTypeOfferings": offered("us-east-2a", "us-east-2b"),
    "ec2.DescribeImages": listing("Images", [image()], image_id="ImageId"),
    "ec2.DescribeKeyPairs": listing("KeyPairs", [{"KeyName": "ml-key", "KeyType": "ed25519"}], key_name="KeyName"),
    "ec2.DescribeVpcs": {"Vpcs": [{"VpcId": VPC}]},
    "ec2.DescribeVpcAttribute": lambda asked: {
        asked["Attribute"][0].upper() + asked["Attribute"][1:]: {"Value": True}, "VpcId": VPC
    },
    "ec2.DescribeSubnets": listing("Subnets", [subnet(PUBLIC), subnet(PRIVATE)], subnet_id="SubnetId"),
    "ec2.DescribeSecurityGroups": listing("SecurityGroups", [{"GroupId": GROUP, "VpcId": VPC}], group_id="GroupId"),
    "ec2.DescribeRouteTables": {
        "RouteTables": [
            route_table("rtb-1", {"GatewayId": "igw-1"}, PUBLIC), route_table("rtb-2", {"NatGatewayId": "nat-1"}),
        ]
    },
    "ec2.DescribeVpcEndpoints": {"VpcEndpoints": []},
    "ec2.DescribeAddresses": {"Addresses": [{"PublicIp": ADDRESS, "AllocationId": "eipalloc-1"}]},
    "ec2.DescribeVolumes": listing(
        "Volumes", [{"VolumeId": VOLUME, "State": "available", "AvailabilityZone": "us-east-2a"}], volume_id="VolumeId"
    ),
    "ec2.DescribeNatGateways": {"NatGateways": []},
    "ec2.DescribeInternetGateways": {"InternetGateways": []},
    "service-quotas.GetServiceQuota": quotas(),
    "cloudformation.DescribeStacks": no_stack,
    "s3.HeadBucket": {"BucketRegion": "us-east-2"},
    "s3.HeadObject": {"ContentLength": 100},
    "s3.ListBuckets": {"Buckets": []},
    "s3.ListObjectsV2": {"CommonPrefixes": []},
    "s3.GetBucketEncryption": encryption(KEY),
    "fsx.DescribeFileSystems": lambda asked: {
        "FileSystems": [
            {"FileSystemId": asked["FileSystemIds"][0], "Lifecycle": "AVAILABLE", "VpcId": VPC,
             "FileSystemType": "LUSTRE" if asked["FileSystemIds"] == [LUSTRE] else "OPENZFS"}
        ]
    },
    "fsx.DescribeVolumes": {
        "Volumes": [{"VolumeId": ZFS, "FileSystemId": "fs-0123456789abcdef1", "Lifecycle": "AVAILABLE"}]
    },
    "efs.DescribeFileSystems": {
        "FileSystems": [
            {"FileSystemId": EFS, "LifeCycleState": "available", "OwnerId": ACCOUNT, "CreationToken": "t",
             "CreationTime": NOW, "NumberOfMountTargets": 1, "SizeInBytes": {"Value": 1},
             "PerformanceMode": "generalPurpose", "Tags": []}
        ]
    },
    "efs.DescribeMountTargets": {
        "MountTargets": [
            {"MountTargetId": "fsmt-0123456789abcdef0", "FileSystemId": EFS, "SubnetId": PRIVATE,
             "LifeCycleState": "available", "VpcId": VPC}
        ]
    },
    "efs.DescribeAccessPoints": {"AccessPoints": [{"AccessPointId": ACCESS_POINT, "FileSystemId": EFS}]},
    "sso-admin.ListInstances": {"Instances": [{"InstanceArn": "arn:aws:sso:::instance/1", "Status": "ACTIVE"}]},
    "acm.DescribeCertificate": {"Certificate": {"CertificateArn": CERTIFICATE, "Status": "ISSUED"}},
    "kms.DescribeKey": {
        "KeyMetadata": {"KeyId": KEY, "Arn": KEY, "KeyState": "Enabled", "KeySpec": "SYMMETRIC_DEFAULT"}
    },
    "kms.GetKeyPolicy": {"Policy": '{"Statement": []}'},
    "secretsmanager.DescribeSecret": {"ARN": SECRET, "Name": "directory"},
    "iam.GetPolicy": {"Policy": {"PolicyName": "p"}},
    "iam.SimulatePrincipalPolicy": decisions(),
}  # fmt: skip


def context(spec: str = SPEC, answers: Mapping[str, Any] | None = None, **more: Any) -> PreflightContext:
    """Return a spec in front of the good account, of which some answers are changed."""
    parsed = parse(spec, "cluster.yaml")
    account = RecordedAccount(parsed.spec.region, answers={**ANSWERS, **(answers or {})})
    return PreflightContext(parsed.spec, account, document=parsed.document, **more)


def changed(old: str, new: str, spec: str = SPEC) -> str:
    """Return the good spec with one thing written differently."""
    assert spec.count(old) == 1, old
    return spec.replace(old, new)


def problems(id_: str, spec: str = SPEC, answers: Mapping[str, Any] | None = None, **more: Any) -> list[Problem]:
    """Return what one preflight yields."""
    preflight = next(preflight for preflight in all_preflights() if preflight.id == id_)
    return list(preflight.problems(context(spec, answers, **more)))


def found(id_: str, spec: str = SPEC, answers: Mapping[str, Any] | None = None, **more: Any) -> list[str]:
    """Return where one preflight has something to say, and how bad it is where that is not as usual."""
    return [
        path_text(problem.path) + (f" ({problem.severity})" if problem.severity not in (None, "error") else "")
        for problem in problems(id_, spec, answers, **more)
    ]
