"""Nodes where people log in, so that the head node keeps its resources for scheduling."""

from __future__ import annotations

from trainyard.field import Count
from trainyard.record import Record
from trainyard.spec.network import Subnet
from trainyard.spec.text import InstanceTypeName


class LoginNodes(Record):
    """One pool of login nodes behind a network load balancer."""

    count: Count = 1
    """How many; 0 stops the pool without removing it."""
    instance_type: InstanceTypeName = "m5.large"
    """A CPU type."""
    subnet: Subnet = "public"
    """Where they stand."""
