"""The address ranges of a network that is made: of the VPC, and of its subnets by what stands in them."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import NamedTuple

from trainyard.errors import TrainyardError
from trainyard.spec.network import Network

# A VPC has /16 at most, a subnet /28 at least: https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html
WIDEST_PREFIX = 16
# Half of it is one subnet, and the other half has room for sixteen, of which nine are used.
NARROWEST_PREFIX = 23
_FURTHER_ZONES = 6


class NetworkRanges(NamedTuple):
    """What lies where."""

    vpc: tuple[IPv4Network, ...]
    public: IPv4Network
    second_zone: IPv4Network
    control_plane: IPv4Network
    private: IPv4Network
    """Of the first zone: nodes and file systems."""
    further: tuple[IPv4Network, ...]
    """Private subnets of further zones, from those that end in a to those that end in f."""


# As parameters of render/cloudformation/network.yaml have them.
DEFAULT_RANGES = NetworkRanges(
    (IPv4Network("10.0.0.0/16"), IPv4Network("10.1.0.0/16")),
    IPv4Network("10.0.0.0/20"),
    IPv4Network("10.0.16.0/20"),
    IPv4Network("10.1.224.0/20"),
    IPv4Network("10.1.0.0/17"),
    tuple(IPv4Network(f"10.1.{128 + 16 * number}.0/20") for number in range(_FURTHER_ZONES)),
)


def network_ranges(network: Network) -> NetworkRanges:
    """Return the ranges of a network. Raises TrainyardError where the spec leaves no place for its subnets."""
    if network.cidr is None:
        return DEFAULT_RANGES
    try:
        whole = IPv4Network(network.cidr)
    except ValueError:
        raise _refusal(f"{network.cidr} has bits beyond its prefix", "cidr", "begin at the first address") from None
    if not WIDEST_PREFIX <= whole.prefixlen <= NARROWEST_PREFIX:
        hint = f"write a range from /{WIDEST_PREFIX} to /{NARROWEST_PREFIX}"
        raise _refusal(f"{network.cidr} is no range that a network can be divided from", "cidr", hint)
    private_prefix = network.private_prefix or whole.prefixlen + 1
    other_prefix = network.other_prefix or whole.prefixlen + 5
    places = 3 + _FURTHER_ZONES
    if private_prefix <= whole.prefixlen or _size(private_prefix) + places * _size(other_prefix) > whole.num_addresses:
        problem = f"{network.cidr} has no room for a /{private_prefix} and {places} subnets of /{other_prefix}"
        raise _refusal(problem, "private_prefix", "write larger numbers for the prefixes, or a wider cidr")
    private = IPv4Network((int(whole.broadcast_address) + 1 - _size(private_prefix), private_prefix))
    first = int(whole.network_address)
    others = [IPv4Network((first + number * _size(other_prefix), other_prefix)) for number in range(places)]
    return NetworkRanges((whole,), others[0], others[1], others[2], private, tuple(others[3:]))


def _size(prefix: int) -> int:
    return 1 << (32 - prefix)


def _refusal(problem: str, key: str, hint: str) -> TrainyardError:
    return TrainyardError(problem, where=f"network.{key}", hint=hint)
