"""EC2: instance types, the network, volumes, and the dry run of a launch. Python 3.9 syntax."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.aws import ACCOUNT_ID, VPC, VPC_CIDR, made_up_id, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.oracle.account import Account

    Answer = dict[str, Any]
    Parameters = Mapping[str, Any]


def instance_types(account: Account, parameters: Parameters) -> Answer:
    """Describe the types that are asked for."""
    asked = parameters["InstanceTypes"]
    unknown = [name for name in asked if name not in account.facts.instance_types]
    if unknown:
        raise refusal("InvalidInstanceType", f"The following supplied instance types do not exist: {unknown}")
    return {"InstanceTypes": [account.facts.instance_types[name] for name in asked]}


def instance_type_offerings(account: Account, parameters: Parameters) -> Answer:
    """Offer every type in every zone."""
    wanted = _filter(parameters, "instance-type")
    by_zone = parameters.get("LocationType") == "availability-zone"
    offerings = [
        {"InstanceType": name, "LocationType": parameters.get("LocationType", "region"), "Location": location}
        for name in account.facts.instance_types
        for location in (account.zones() if by_zone else [account.facts.region])
        if wanted is None or name in wanted
    ]
    return {"InstanceTypeOfferings": offerings}


def subnets(account: Account, parameters: Parameters) -> Answer:
    """Describe subnets of the VPC. The public ones are those without compute nodes."""
    unknown = [subnet for subnet in parameters["SubnetIds"] if subnet not in account.mentions.subnets]
    if unknown:
        raise refusal("InvalidSubnetID.NotFound", f"The subnet IDs '{unknown}' do not exist")
    described = [
        {
            "SubnetId": subnet,
            "VpcId": VPC,
            "AvailabilityZone": account.zone_of(subnet),
            "CidrBlock": f"10.0.{account.mentions.subnets.index(subnet)}.0/24",
            "MapPublicIpOnLaunch": _is_public(account, subnet),
            "State": "available",
        }
        for subnet in parameters["SubnetIds"]
    ]
    return {"Subnets": described}


def vpc_attribute(_account: Account, parameters: Parameters) -> Answer:
    """Both attributes that pcluster needs are on."""
    attribute = {"enableDnsSupport": "EnableDnsSupport", "enableDnsHostnames": "EnableDnsHostnames"}
    return {"VpcId": parameters["VpcId"], attribute[parameters["Attribute"]]: {"Value": True}}


def security_groups(_account: Account, parameters: Parameters) -> Answer:
    """Every group lets everything in and out, of itself as EFA needs it and of the VPC as file systems need it."""
    groups = [
        {
            "GroupId": group,
            "GroupName": group,
            "VpcId": VPC,
            "IpPermissions": _all_traffic(group),
            "IpPermissionsEgress": _all_traffic(group),
        }
        for group in parameters["GroupIds"]
    ]
    return {"SecurityGroups": groups}


def network_interfaces(_account: Account, parameters: Parameters) -> Answer:
    """Every interface is in the VPC and has a group of its own."""
    interfaces = [
        {"NetworkInterfaceId": interface, "VpcId": VPC, "Groups": [{"GroupId": made_up_id("sg", interface)}]}
        for interface in parameters["NetworkInterfaceIds"]
    ]
    return {"NetworkInterfaces": interfaces}


def key_pairs(_account: Account, parameters: Parameters) -> Answer:
    """Every key pair exists; its type is the one that Ubuntu accepts."""
    return {"KeyPairs": [{"KeyName": name, "KeyType": "ed25519"} for name in parameters["KeyNames"]]}


def placement_groups(_account: Account, parameters: Parameters) -> Answer:
    """Every placement group exists."""
    groups = [{"GroupName": name, "Strategy": "cluster", "State": "available"} for name in parameters["GroupNames"]]
    return {"PlacementGroups": groups}


def addresses(_account: Account, parameters: Parameters) -> Answer:
    """Every Elastic IP is allocated."""
    return {
        "Addresses": [{"PublicIp": ip, "AllocationId": made_up_id("eipalloc", ip)} for ip in parameters["PublicIps"]]
    }


def volumes(account: Account, parameters: Parameters) -> Answer:
    """Every volume is free, and in the zone of the head node."""
    zone = account.zone_of(account.mentions.subnets[0])
    return {
        "Volumes": [
            {"VolumeId": volume, "State": "available", "AvailabilityZone": zone, "Attachments": []}
            for volume in parameters["VolumeIds"]
        ]
    }


def snapshots(account: Account, parameters: Parameters) -> Answer:
    """Every snapshot is complete, and of the size that the config wants the volume to have."""
    sizes_gib = account.mentions.snapshot_sizes_gib()
    return {
        "Snapshots": [
            {"SnapshotId": snapshot, "State": "completed", "VolumeSize": sizes_gib[snapshot], "OwnerId": ACCOUNT_ID}
            for snapshot in parameters["SnapshotIds"]
        ]
    }


def launch_template_versions(_account: Account, parameters: Parameters) -> Answer:
    """Every launch template is one that pcluster takes as overrides: it has network interfaces and nothing else."""
    data = {"NetworkInterfaces": [{"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "interface"}]}
    template = parameters["LaunchTemplateId"]
    versions = [
        {"LaunchTemplateId": template, "VersionNumber": int(version), "LaunchTemplateData": data}
        for version in parameters["Versions"]
    ]
    return {"LaunchTemplateVersions": versions}


def run_instances(_account: Account, parameters: Parameters) -> Answer:
    """Launch nothing: the error is how EC2 says that a dry run went well."""
    if not parameters.get("DryRun"):
        raise refusal("UnauthorizedOperation", "a validation launches nothing")
    raise refusal("DryRunOperation", "Request would have succeeded, but DryRun flag is set.")


def _filter(parameters: Parameters, name: str) -> list[str] | None:
    values = [wanted["Values"] for wanted in parameters.get("Filters", []) if wanted["Name"] == name]
    return values[0] if values else None


def _is_public(account: Account, subnet: str) -> bool:
    return subnet not in account.mentions.queue_subnets


def _all_traffic(group: str) -> list[dict[str, Any]]:
    every_source = {"UserIdGroupPairs": [{"GroupId": group}], "IpRanges": [{"CidrIp": VPC_CIDR}]}
    return [{"IpProtocol": "-1", **every_source}]


ANSWERS = {
    "ec2.DescribeAddresses": addresses,
    "ec2.DescribeInstanceTypeOfferings": instance_type_offerings,
    "ec2.DescribeInstanceTypes": instance_types,
    "ec2.DescribeKeyPairs": key_pairs,
    "ec2.DescribeLaunchTemplateVersions": launch_template_versions,
    "ec2.DescribeNetworkInterfaces": network_interfaces,
    "ec2.DescribePlacementGroups": placement_groups,
    "ec2.DescribeSecurityGroups": security_groups,
    "ec2.DescribeSnapshots": snapshots,
    "ec2.DescribeSubnets": subnets,
    "ec2.DescribeVolumes": volumes,
    "ec2.DescribeVpcAttribute": vpc_attribute,
    "ec2.RunInstances": run_instances,
}
