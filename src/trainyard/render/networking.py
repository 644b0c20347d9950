"""Subnets and address ranges: the cluster's own, those of an existing network, or one named by id."""

from __future__ import annotations

from typing import Any, Literal

from trainyard.errors import TrainyardError
from trainyard.render.cloudformation.network import needs_network, needs_prefix_list, zone_letter
from trainyard.render.stand_ins import Ids
from trainyard.spec.access import Dcv
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

Role = Literal["Head", "Compute", "Login"]

# Without a range ParallelCluster opens SSH to 0.0.0.0/0; this one admits private addresses only, which have to come
# from the VPC or what is connected to it. https://datatracker.ietf.org/doc/html/rfc1918
NOBODY_OUTSIDE = "10.0.0.0/8"


def one_subnet(spec: Spec, choice: str, ids: Ids) -> str:
    """Return the subnet of head or login nodes."""
    return subnets(spec, choice, ids)[0]


def subnets(spec: Spec, choice: str, ids: Ids) -> list[str]:
    """Return the subnets that a choice of private, public or an id stands for."""
    existing = spec.network.existing
    if choice not in ("private", "public"):
        return [choice]
    if existing is not None:
        named = list(existing.public_subnets if choice == "public" else existing.private_subnets)
        if not named:
            # The rule public-subnet-missing says so at the place that asks for it.
            raise TrainyardError(
                f"{existing.vpc} is given without {choice} subnets", where=f"network.existing.{choice}_subnets"
            )
        return named
    return [ids.of("PublicSubnet")] if choice == "public" else [_primary_private_subnet(spec, ids)]


def queue_subnets(spec: Spec, queue: Queue, ids: Ids) -> list[str]:
    """Return the subnets of a queue: one for each zone that it names, otherwise those of the network."""
    zones = queue.zones
    if not zones or spec.network.existing is not None or queue.subnet != "private":
        return subnets(spec, queue.subnet, ids)
    return [_zone_subnet(spec, zone, ids) for zone in zones]


def _zone_subnet(spec: Spec, zone: str, ids: Ids) -> str:
    # An environment has one subnet for nodes and says itself in which zone: deploy/preflights/environment_not_usable.py
    if zone == spec.network.availability_zone or (spec.environment and spec.network.availability_zone is None):
        return _primary_private_subnet(spec, ids)
    letter = zone_letter(zone)
    return ids.of("PrivateSubnet", label=letter, number=ord(letter) - ord("A") + 1, zone=zone)


def _primary_private_subnet(spec: Spec, ids: Ids) -> str:
    return ids.of("PrimaryPrivateSubnet", zone=spec.network.availability_zone)


def security_groups(spec: Spec, role: Role, ids: Ids) -> dict[str, list[str]]:
    """Return the security groups that nodes get beside ParallelCluster's own: the user's, and the network stack's.

    File systems and monitoring admit the groups of the stack.
    """
    existing = spec.network.existing
    own = [] if existing is None else list(existing.security_groups)
    own_group = [ids.of(f"{role}NodeSecurityGroup")] if needs_network(spec) or spec.environment is not None else []
    return {"AdditionalSecurityGroups": own + own_group} if own or own_group else {}


def proxy(spec: Spec) -> dict[str, Any]:
    """Return the proxy of every node, or nothing. ParallelCluster knows one address for HTTP and HTTPS together."""
    address = spec.network.http_proxy
    return {} if address is None else {"Proxy": {"HttpProxyAddress": address}}


def remote_desktop(dcv: Dcv | None) -> dict[str, Any]:
    """Return a DCV server, or nothing. Without a range ParallelCluster would open it to 0.0.0.0/0."""
    if dcv is None:
        return {}
    return {"Dcv": {"Enabled": True, "Port": dcv.port, "AllowedIps": dcv.allow_from or NOBODY_OUTSIDE}}


def ssh_range(spec: Spec, ids: Ids) -> str:
    """Return what may reach SSH. ParallelCluster takes one range, or one prefix list of several."""
    if needs_prefix_list(spec):
        return ids.of("SSHPrefixList")
    return next(iter(spec.access.allow_from), NOBODY_OUTSIDE)
