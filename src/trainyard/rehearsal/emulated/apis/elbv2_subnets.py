"""Load balancers: a Network Load Balancer may stand in a single zone, where moto wants two zones of every one.

https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_SetSubnets.html, read 2026-11-23
https://github.com/getmoto/moto/blob/5.2.5/moto/elbv2/models.py#L1736
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from moto.elbv2.models import AvailabilityZone, ELBv2Backend

from trainyard.rehearsal.emulated.actions import wrap


def install() -> None:
    """Take the one subnet of a Network Load Balancer."""
    wrap(ELBv2Backend, "set_subnets", _set_subnets)


def _set_subnets(former: Callable[..., Any], backend: Any, arn: str, subnets: list[str], mappings: list[Any]) -> Any:
    balancer = backend.load_balancers.get(arn)
    ids = [*subnets, *(mapping["SubnetId"] for mapping in mappings)]
    if balancer is None or balancer.type != "network" or len(ids) != 1:
        return former(backend, arn, subnets, mappings)
    balancer.subnets = [backend.ec2_backend.get_subnet(ids[0])]
    return [AvailabilityZone(subnet) for subnet in balancer.subnets]
