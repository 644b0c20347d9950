"""EBS volumes: what every one of them can be told, whether it holds an operating system or is shared."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Whole
from trainyard.record import Record

# The largest that EBS has: https://docs.aws.amazon.com/ebs/latest/userguide/volume_constraints.html
EbsSize = Annotated[int, Whole("1 to 65,536 GiB, as a whole number", least=1, most=65_536)]
VolumeType = Literal["gp3", "gp2", "io1", "io2", "st1", "sc1", "standard"]


class Volume(Record):
    """How an EBS volume performs. Which figures a type admits is for the rule volume-performance-does-not-exist."""

    type: VolumeType = "gp3"
    """Volume type. gp3 suits nearly everything; io2 is for databases."""
    iops: Positive | None = None
    """I/O operations per second, for gp3, io1 and io2. By default what AWS gives the type."""
    throughput_mib_s: Positive | None = None
    """Throughput in MiB/s, for gp3. By default 125."""
    encrypted: bool = True
    """Encrypt the volume. With the account's own key for EBS, unless iam.kms_key names one for shared volumes."""


class RootVolume(Volume):
    """The EBS volume that holds the operating system."""

    size_gib: EbsSize = 200
    """Size in GiB."""


class HeadRootVolume(RootVolume):
    """The root volume of the head node, which also holds /home and the logs."""

    size_gib: EbsSize = 500
    """Size in GiB."""
