"""An On-Demand Capacity Reservation."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::CapacityReservation"
_NAMES = (
    "AvailabilityZone",
    "EbsOptimized",
    "EndDate",
    "EndDateType",
    "EphemeralStorage",
    "InstanceCount",
    "InstanceMatchCriteria",
    "InstancePlatform",
    "InstanceType",
    "PlacementGroupArn",
    "TagSpecifications",
    "Tenancy",
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Reserve it."""
    answer = aws.client("ec2").create_capacity_reservation(**picked(wanted.properties, *_NAMES))
    reservation = answer["CapacityReservation"]
    attributes = {
        "Id": reservation["CapacityReservationId"],
        "AvailabilityZone": reservation["AvailabilityZone"],
        "InstanceType": reservation["InstanceType"],
        "TotalInstanceCount": reservation["TotalInstanceCount"],
        "AvailableInstanceCount": reservation["AvailableInstanceCount"],
        "Tenancy": reservation["Tenancy"],
    }
    return Made(reservation["CapacityReservationId"], attributes)


def delete(aws: Aws, made: Made) -> None:
    """Give it back."""
    aws.client("ec2").cancel_capacity_reservation(CapacityReservationId=made.id)
