"""A quota of AWS: the code by which an account's own value is asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Count, Text
from trainyard.record import Record


class ServiceQuota(Record):
    """A quota, and what it counts."""

    name: str
    """Our own word for it: on-demand-p."""
    service: str
    """As Service Quotas spells it: ec2."""
    code: Annotated[str, Text(r"^L-[0-9A-F]{8}$", "a quota code such as L-417A185B")]
    """The same in every region and account."""
    at_first: Count
    """What AWS gives a new account."""
    purchase: Literal["on-demand", "spot"] | None = None
    """For vCPUs: how the instances are bought."""
    letters: tuple[str, ...] = ()
    """For vCPUs: the families of instances, by what stands before the first digit of their names."""
