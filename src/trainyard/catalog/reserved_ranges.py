"""Address ranges that nobody comes from on the internet, which Amazon EKS refuses as ranges of a public endpoint.

https://repost.aws/knowledge-center/eks-lock-api-access-IP-addresses (read 2026-11-22) says "reserved"; EKS itself
answers CreateCluster with "The following CIDRs are not allowed in publicAccessCidrs", also for those of documentation.
"""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_network

# https://www.rfc-editor.org/rfc/rfc5737
_OF_DOCUMENTATION = tuple(map(IPv4Network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")))


def is_of_documentation(cidr: str) -> bool:
    """Return whether a range is one that only examples have: whoever wrote it did not replace it yet."""
    network = _network(cidr)
    return isinstance(network, IPv4Network) and any(network.subnet_of(documented) for documented in _OF_DOCUMENTATION)


def is_reserved(cidr: str) -> bool:
    """Return whether a range is private, or reserved otherwise, but not for documentation. False for what is none.

    https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry.xhtml
    """
    network = _network(cidr)
    if network is None or is_of_documentation(cidr):
        return False
    return not network.is_global or network.is_multicast or network.is_reserved


def _network(cidr: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(cidr, strict=False)
    except ValueError:
        return None
