"""No room for one more VPC, gateway or Elastic IP address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.service_quotas import network_quota
from trainyard.deploy.preflights import Preflight, PreflightContext
from trainyard.edge.aws import ec2, service_quotas
from trainyard.edge.aws.stacks import find_stack
from trainyard.finding import Path
from trainyard.rules import Problem

_CONSOLE = "https://console.aws.amazon.com/servicequotas/home/services"


class QuotaNeed(NamedTuple):
    """What a network takes of a quota."""

    quota: str
    what: str
    used: int
    more: int
    path: Path


def check(context: PreflightContext) -> Iterator[Problem]:
    """Yield what the network of the cluster would need and the account may not have."""
    for need in _needs(context):
        quota = network_quota(need.quota)
        allowed = context.ask(service_quotas.quota, quota.service, quota.code)
        if allowed is not None and need.used + need.more > allowed.value:
            message = f"{need.more} more {need.what} would be needed: the account has {need.used} of {allowed.value:g}"
            remedy = f"remove one, or ask for more: {_CONSOLE}/{quota.service}/quotas/{quota.code}"
            yield Problem(need.path, message, remedy)


def _needs(context: PreflightContext) -> Iterator[QuotaNeed]:
    spec, makes_network = context.spec, _makes_network(context)
    through_nat = makes_network and spec.network.internet == "nat"
    if makes_network:
        yield QuotaNeed("vpcs", "VPC", len(context.ask(ec2.vpcs)), 1, ("network",))
        yield QuotaNeed(
            "internet-gateways", "internet gateway", len(context.ask(ec2.internet_gateways)), 1, ("network",)
        )
    if through_nat:
        yield QuotaNeed("nat-gateways-per-zone", "NAT gateway", _nat_gateways(context), 1, ("network", "internet"))
    new_address = spec.head_node.elastic_ip is True and context.ask(find_stack, spec.name) is None
    if addresses := int(through_nat) + int(new_address):
        path: Path = ("head_node", "elastic_ip") if new_address else ("network", "internet")
        used = len(context.ask(ec2.addresses))
        yield QuotaNeed("elastic-ip-addresses", "Elastic IP address", used, addresses, path)


def _makes_network(context: PreflightContext) -> bool:
    spec = context.spec
    if spec.network.existing is not None or spec.environment is not None or "VpcId" in context.outputs:
        return False
    return context.ask(find_stack, f"{spec.name}-network") is None


def _nat_gateways(context: PreflightContext) -> int:
    """Return how many there are in the zone of the network; in the fullest one where it names none."""
    gateways = context.ask(ec2.nat_gateways)
    subnets = context.ask(
        ec2.subnets, tuple(sorted({gateway["SubnetId"] for gateway in gateways if gateway.get("SubnetId")}))
    )
    zones = [
        subnets[gateway["SubnetId"]]["AvailabilityZone"] for gateway in gateways if gateway.get("SubnetId") in subnets
    ]
    own_zone = context.spec.network.availability_zone
    return zones.count(own_zone) if own_zone is not None else max((zones.count(zone) for zone in zones), default=0)


PREFLIGHT = Preflight(
    severity="error",
    title="Quota for parts of a network that is too small",
    rationale=(
        "An account may have five VPCs, internet gateways and Elastic IP addresses in a region, and five NAT gateways "
        "in a zone, until it asks for more. The stack of the network would fail and be rolled back."
    ),
    remedy="remove what is not used, ask for more, or use a network that exists: network.existing",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    permissions=(
        "servicequotas:GetServiceQuota",
        "servicequotas:GetAWSDefaultServiceQuota",
        "ec2:DescribeVpcs",
        "ec2:DescribeInternetGateways",
        "ec2:DescribeNatGateways",
        "ec2:DescribeSubnets",
        "ec2:DescribeAddresses",
        "cloudformation:DescribeStacks",
    ),
    check=check,
)
