"""A network whose range is that of another which it has to reach."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.errors import TrainyardError
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# What Docker gives its own bridge: https://docs.docker.com/engine/network/drivers/bridge/ (read 2026-11-23)
_OF_DOCKER = "172.17.0.0/16"


def check(spec: Spec) -> Iterator[Problem]:
    """Yield networks to be connected that share addresses with the one that is made, and the bridge of Docker."""
    network = spec.network
    if (
        network.existing is not None
        or spec.environment is not None
        or (network.cidr, network.connected_ranges)
        == (
            None,
            (),
        )
    ):
        return
    from ipaddress import ip_network  # noqa: PLC0415  every check imports this rule

    from trainyard.launch.network_ranges import network_ranges  # noqa: PLC0415  the same

    try:
        own = network_ranges(network).vpc
    except TrainyardError:
        return  # network-range-not-possible says so
    for index, range_ in enumerate(network.connected_ranges):
        if shared := [str(part) for part in own if part.overlaps(ip_network(range_, strict=False))]:
            message = f"{range_}, which the network is to be connected to, overlaps with its own {shared[0]}"
            yield Problem(("network", "connected_ranges", index), message)
    if network.cidr is not None and own[0].overlaps(ip_network(_OF_DOCKER)):
        message = f"{network.cidr} overlaps with {_OF_DOCKER}, which Docker takes on every node"
        yield Problem(("network", "cidr"), message, severity="warning")


RULE = Rule(
    severity="error",
    title="Network that overlaps with another",
    rationale=(
        "Routers send what goes to an address of the VPC into the VPC, so networks with the same addresses can be "
        "connected by neither peering nor a transit gateway. Without cidr the network has 10.0.0.0/16 and 10.1.0.0/16."
    ),
    remedy="write a network.cidr that nobody else has; it cannot be changed once the network is there",
    source="https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-basics.html",
    bad="network: {connected_ranges: [10.0.0.0/8]}",
    good="network: {cidr: 172.20.0.0/16, connected_ranges: [10.0.0.0/8]}",
    check=check,
)
