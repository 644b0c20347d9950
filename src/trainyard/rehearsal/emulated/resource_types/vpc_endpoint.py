"""A VPC endpoint, of a gateway or with network interfaces."""

from __future__ import annotations

import json
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::VPCEndpoint"
_NAMES = (
    "VpcId",
    "ServiceName",
    "VpcEndpointType",
    "RouteTableIds",
    "SubnetIds",
    "SecurityGroupIds",
    "PrivateDnsEnabled",
)


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    asked = {"VpcEndpointType": "Gateway", **picked(resource.properties, *_NAMES), **_policy(resource)}
    answer = aws.client("ec2").create_vpc_endpoint(**asked, **tag_specifications("vpc-endpoint", resource))
    endpoint = answer["VpcEndpoint"]
    attributes = {
        "Id": endpoint["VpcEndpointId"],
        "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
        "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
        "DnsEntries": [f"{one.get('HostedZoneId', '')}:{one['DnsName']}" for one in endpoint.get("DnsEntries", [])],
    }
    return PhysicalResource(endpoint["VpcEndpointId"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change where it stands and what it lets through."""
    former = physical.logical.properties if physical.logical else {}
    asked: dict[str, Any] = {**picked(resource.properties, "PrivateDnsEnabled"), **_policy(resource)}
    for name in ("RouteTableIds", "SubnetIds", "SecurityGroupIds"):
        before, after = set(former.get(name, [])), set(resource.properties.get(name, []))
        asked |= {f"Add{name}": sorted(after - before)} if after - before else {}
        asked |= {f"Remove{name}": sorted(before - after)} if before - after else {}
    aws.client("ec2").modify_vpc_endpoint(VpcEndpointId=physical.id, **asked)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[physical.id])


def _policy(resource: LogicalResource) -> dict[str, str]:
    policy = resource.properties.get("PolicyDocument")
    return {} if policy is None else {"PolicyDocument": policy if isinstance(policy, str) else json.dumps(policy)}
