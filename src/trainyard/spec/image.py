"""The operating system and machine image of the nodes."""

from __future__ import annotations

from typing import Annotated

from trainyard.field import Text
from trainyard.record import Record
from trainyard.spec.text import AmiId, Version

OsName = Annotated[str, Text(r"^[a-z0-9]+$", "an operating system such as ubuntu2204")]


class Image(Record):
    """What nodes boot."""

    os: OsName = "ubuntu2204"
    """Operating system, as ParallelCluster names it."""
    ami: AmiId | None = None
    """An image of your own instead of the official one, for every node that names none itself."""
    built_for: Version | None = None
    """Version of ParallelCluster that your own images were built for, so that a check can compare it."""
