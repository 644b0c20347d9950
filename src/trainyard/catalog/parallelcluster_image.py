"""What is known about ParallelCluster's official images of one operating system."""

from __future__ import annotations

from trainyard.record import Record


class ParallelClusterImage(Record):
    """The official images of an operating system."""

    os: str
    """As ParallelCluster spells it: ubuntu2204."""
    name_part: str
    """How the operating system is called in the names of images."""
    published: bool
    """Whether there are official images at all."""
    reservation_platform: str
    """Platform of the capacity reservations that its instances can use."""
