"""A VPC endpoint, of a gateway or with network interfaces."""

from __future__ import annotations

import json
from typing import Any

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

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


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = {"VpcEndpointType": "Gateway", **picked(wanted.properties, *_NAMES), **_policy(wanted)}
    answer = aws.client("ec2").create_vpc_endpoint(**asked, **tag_specifications("vpc-endpoint", wanted))
    endpoint = answer["VpcEndpoint"]
    attributes = {
        "Id": endpoint["VpcEndpointId"],
        "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
        "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
        "DnsEntries": [f"{one.get('HostedZoneId', '')}:{one['DnsName']}" for one in endpoint.get("DnsEntries", [])],
    }
    return Made(endpoint["VpcEndpointId"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change where it stands and what it lets through."""
    former = made.wanted.properties if made.wanted else {}
    asked: dict[str, Any] = {**picked(wanted.properties, "PrivateDnsEnabled"), **_policy(wanted)}
    for name in ("RouteTableIds", "SubnetIds", "SecurityGroupIds"):
        before, after = set(former.get(name, [])), set(wanted.properties.get(name, []))
        asked |= {f"Add{name}": sorted(after - before)} if after - before else {}
        asked |= {f"Remove{name}": sorted(before - after)} if before - after else {}
    aws.client("ec2").modify_vpc_endpoint(VpcEndpointId=made.id, **asked)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_vpc_endpoints(VpcEndpointIds=[made.id])


def _policy(wanted: Wanted) -> dict[str, str]:
    policy = wanted.properties.get("PolicyDocument")
    return {} if policy is None else {"PolicyDocument": policy if isinstance(policy, str) else json.dumps(policy)}
