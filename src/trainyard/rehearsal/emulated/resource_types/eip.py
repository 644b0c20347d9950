"""An elastic IP address."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EC2::EIP"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Allocate it, for an instance where one is named."""
    ec2 = aws.client("ec2")
    answer = ec2.allocate_address(Domain="vpc", **tag_specifications("elastic-ip", resource))
    if "InstanceId" in resource.properties:
        ec2.associate_address(AllocationId=answer["AllocationId"], **picked(resource.properties, "InstanceId"))
    return PhysicalResource(answer["PublicIp"], {name: answer[name] for name in ("AllocationId", "PublicIp")})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Give it back, whoever has it."""
    ec2 = aws.client("ec2")
    allocation = physical.attributes["AllocationId"]
    for address in ec2.describe_addresses(AllocationIds=[allocation])["Addresses"]:
        if "AssociationId" in address:
            ec2.disassociate_address(AssociationId=address["AssociationId"])
    ec2.release_address(AllocationId=allocation)
