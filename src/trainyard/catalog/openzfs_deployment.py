"""What FSx for OpenZFS offers for one deployment type."""

from __future__ import annotations

from typing import Literal

from trainyard.field import Positive
from trainyard.record import Record

DeploymentType = Literal["SINGLE_AZ_1", "SINGLE_AZ_2", "SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1"]


class OpenZfsDeployment(Record):
    """Size and throughputs of one deployment type with SSD storage."""

    name: DeploymentType
    """As the FSx API spells it: SINGLE_AZ_HA_2."""
    size_gib: tuple[Positive, Positive]
    """Least and most storage."""
    throughputs_mb_s: tuple[Positive, ...]
    """Throughputs to choose from, ascending."""
