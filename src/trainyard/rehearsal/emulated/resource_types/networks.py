"""Networks in EC2: VPCs, subnets, endpoints, prefix lists and elastic IP addresses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    tag_specifications,
    written_properties,
)

_ATTRIBUTES = ("EnableDnsSupport", "EnableDnsHostnames")


def _create_vpc(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and switch its attributes."""
    ec2 = aws.client("ec2")
    request = written_properties(
        resource.properties, "CidrBlock", "InstanceTenancy", "Ipv4IpamPoolId", "Ipv4NetmaskLength"
    )
    vpc = ec2.create_vpc(**request, **tag_specifications("vpc", resource))["Vpc"]
    _switch_vpc(aws, vpc["VpcId"], resource)
    groups = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc["VpcId"]]}])["SecurityGroups"]
    attributes = {
        "VpcId": vpc["VpcId"],
        "CidrBlock": vpc["CidrBlock"],
        "CidrBlockAssociations": [association["AssociationId"] for association in vpc["CidrBlockAssociationSet"]],
        "DefaultSecurityGroup": groups[0]["GroupId"],
    }
    return PhysicalResource(vpc["VpcId"], attributes)


def _update_vpc(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Switch its attributes; everything else makes a new one."""
    _switch_vpc(aws, physical.id, resource)
    return physical


def _delete_vpc(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("ec2").delete_vpc(VpcId=physical.id)


def _switch_vpc(aws: Aws, vpc: str, resource: LogicalResource) -> None:
    for name, value in written_properties(resource.properties, *_ATTRIBUTES).items():
        aws.client("ec2").modify_vpc_attribute(VpcId=vpc, **{name: {"Value": value}})


def _create_subnet(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and say whether instances get public addresses."""
    ec2 = aws.client("ec2")
    request = written_properties(
        resource.properties, "VpcId", "CidrBlock", "AvailabilityZone", "AvailabilityZoneId", "Ipv6CidrBlock"
    )
    subnet = ec2.create_subnet(**request, **tag_specifications("subnet", resource))["Subnet"]
    _switch_subnet(aws, subnet["SubnetId"], resource)
    attributes = {
        "SubnetId": subnet["SubnetId"],
        "AvailabilityZone": subnet["AvailabilityZone"],
        "AvailabilityZoneId": subnet["AvailabilityZoneId"],
        "CidrBlock": subnet["CidrBlock"],
        "VpcId": subnet["VpcId"],
        "Ipv6CidrBlocks": [],
    }
    return PhysicalResource(subnet["SubnetId"], attributes)


def _update_subnet(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Say whether instances get public addresses; everything else makes a new one."""
    _switch_subnet(aws, physical.id, resource)
    return physical


def _delete_subnet(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("ec2").delete_subnet(SubnetId=physical.id)


def _switch_subnet(aws: Aws, subnet: str, resource: LogicalResource) -> None:
    for name, value in written_properties(
        resource.properties, "MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation"
    ).items():
        aws.client("ec2").modify_subnet_attribute(SubnetId=subnet, **{name: {"Value": value}})


_NAMES = (
    "VpcId",
    "ServiceName",
    "VpcEndpointType",
    "RouteTableIds",
    "SubnetIds",
    "SecurityGroupIds",
    "PrivateDnsEnabled",
)


def _create_vpc_endpoint(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    request = {"VpcEndpointType": "Gateway", **written_properties(resource.properties, *_NAMES), **_policy(resource)}
    answer = aws.client("ec2").create_vpc_endpoint(**request, **tag_specifications("vpc-endpoint", resource))
    endpoint = answer["VpcEndpoint"]
    attributes = {
        "Id": endpoint["VpcEndpointId"],
        "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
        "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
        "DnsEntries": [
            f"{entry.get('HostedZoneId', '')}:{entry['DnsName']}" for entry in endpoint.get("DnsEntries", [])
        ],
    }
    return PhysicalResource(endpoint["VpcEndpointId"], attributes)


def _update_vpc_endpoint(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change where it stands and what it lets through."""
    former = physical.logical.properties if physical.logical else {}
    request: dict[str, Any] = {**written_properties(resource.properties, "PrivateDnsEnabled"), **_policy(resource)}
    for name in ("RouteTableIds", "SubnetIds", "SecurityGroupIds"):
        before, after = set(former.get(name, [])), set(resource.properties.get(name, []))
        request |= {f"Add{name}": sorted(after - before)} if after - before else {}
        request |= {f"Remove{name}": sorted(before - after)} if before - after else {}
    aws.client("ec2").modify_vpc_endpoint(VpcEndpointId=physical.id, **request)
    _change_routes(aws, physical.id, resource, request)
    return physical


def _change_routes(aws: Aws, endpoint: str, resource: LogicalResource, request: Mapping[str, Any]) -> None:
    """Let the route tables of a gateway follow, which moto forgets, and without which it cannot delete the endpoint.

    https://docs.aws.amazon.com/vpc/latest/privatelink/gateway-endpoints.html
    """
    ec2 = aws.client("ec2")
    filters = [{"Name": "prefix-list-name", "Values": [resource.properties["ServiceName"]]}]
    for prefix_list in ec2.describe_managed_prefix_lists(Filters=filters)["PrefixLists"]:
        destination = {"DestinationPrefixListId": prefix_list["PrefixListId"]}
        for table in request.get("AddRouteTableIds", ()):
            ec2.create_route(RouteTableId=table, GatewayId=endpoint, **destination)
        for table in request.get("RemoveRouteTableIds", ()):
            ec2.delete_route(RouteTableId=table, **destination)


def _delete_vpc_endpoint(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[physical.id])


def _policy(resource: LogicalResource) -> dict[str, str]:
    policy = resource.properties.get("PolicyDocument")
    return {} if policy is None else {"PolicyDocument": policy if isinstance(policy, str) else json.dumps(policy)}


def _create_prefix_list(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it with its entries."""
    request = written_properties(resource.properties, "PrefixListName", "AddressFamily", "MaxEntries", "Entries")
    answer = aws.client("ec2").create_managed_prefix_list(**request, **tag_specifications("prefix-list", resource))
    prefix_list = answer["PrefixList"]
    attributes = {
        "PrefixListId": prefix_list["PrefixListId"],
        "Arn": prefix_list["PrefixListArn"],
        "OwnerId": prefix_list["OwnerId"],
        "Version": prefix_list.get("Version", 1),
    }
    return PhysicalResource(prefix_list["PrefixListId"], attributes)


def _update_prefix_list(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change its entries."""
    ec2 = aws.client("ec2")
    former = physical.logical.properties.get("Entries", []) if physical.logical else []
    now = resource.properties.get("Entries", [])
    before, after = {entry["Cidr"] for entry in former}, {entry["Cidr"] for entry in now}
    version = ec2.describe_managed_prefix_lists(PrefixListIds=[physical.id])["PrefixLists"][0]["Version"]
    ec2.modify_managed_prefix_list(
        PrefixListId=physical.id,
        CurrentVersion=version,
        AddEntries=[entry for entry in now if entry["Cidr"] not in before],
        RemoveEntries=[{"Cidr": cidr} for cidr in sorted(before - after)],
    )
    physical.attributes["Version"] = version + 1
    return physical


def _delete_prefix_list(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("ec2").delete_managed_prefix_list(PrefixListId=physical.id)


def _create_eip(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Allocate it, for an instance where one is named."""
    ec2 = aws.client("ec2")
    answer = ec2.allocate_address(Domain="vpc", **tag_specifications("elastic-ip", resource))
    if "InstanceId" in resource.properties:
        ec2.associate_address(
            AllocationId=answer["AllocationId"], **written_properties(resource.properties, "InstanceId")
        )
    return PhysicalResource(answer["PublicIp"], {name: answer[name] for name in ("AllocationId", "PublicIp")})


def _delete_eip(aws: Aws, physical: PhysicalResource) -> None:
    """Give it back, whoever has it."""
    ec2 = aws.client("ec2")
    allocation = physical.attributes["AllocationId"]
    for address in ec2.describe_addresses(AllocationIds=[allocation])["Addresses"]:
        if "AssociationId" in address:
            ec2.disassociate_address(AssociationId=address["AssociationId"])
    ec2.release_address(AllocationId=allocation)


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::EC2::VPC": ResourceType(_create_vpc, _delete_vpc, _update_vpc),
    "AWS::EC2::Subnet": ResourceType(_create_subnet, _delete_subnet, _update_subnet),
    "AWS::EC2::VPCEndpoint": ResourceType(_create_vpc_endpoint, _delete_vpc_endpoint, _update_vpc_endpoint),
    "AWS::EC2::PrefixList": ResourceType(_create_prefix_list, _delete_prefix_list, _update_prefix_list),
    "AWS::EC2::EIP": ResourceType(_create_eip, _delete_eip),
}
