"""An EBS volume."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, tag_specifications
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EC2::Volume"
_NAMES = ("AvailabilityZone", "Encrypted", "Iops", "KmsKeyId", "Size", "SnapshotId", "Throughput", "VolumeType")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    answer = aws.client("ec2").create_volume(
        **picked(wanted.properties, *_NAMES), **tag_specifications("volume", wanted)
    )
    return Made(answer["VolumeId"], {"VolumeId": answer["VolumeId"]})


def snapshot(aws: Aws, made: Made) -> None:
    """Make the snapshot that outlives it, without tags: AWS does not say whether it has any."""
    aws.client("ec2").create_snapshot(VolumeId=made.id)


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ec2").delete_volume(VolumeId=made.id)
