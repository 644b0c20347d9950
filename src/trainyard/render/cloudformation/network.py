"""The parameters of network.yaml."""

from __future__ import annotations

from trainyard.errors import TrainyardError
from trainyard.launch.network_ranges import network_ranges
from trainyard.platform_table import platform_of
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre, OpenZfs

# How many address ranges and zones the template has places for.
MOST_RANGES = 10
ZONES = "abcdef"


def needs_network(spec: Spec) -> bool:
    """Return whether there is a network stack: always for a VPC of its own, otherwise for groups or a prefix list."""
    if spec.environment is not None:
        return False
    if platform_of(spec).needs_security_groups:
        return True
    if spec.network.existing is None or spec.monitoring.mode == "self-hosting" or needs_prefix_list(spec):
        return True
    return any(
        isinstance(file_system.settings, Lustre | OpenZfs) and file_system.settings.id is None
        for file_system in spec.file_systems
    )


def needs_prefix_list(spec: Spec) -> bool:
    """Return whether several ranges may use SSH: ParallelCluster takes one range, or one list of several."""
    return platform_of(spec).opens_ssh and len(spec.access.allow_from) > 1


def makes_control_plane_subnet(spec: Spec) -> bool:
    """Return whether a subnet is made for the control plane of EKS, which needs subnets in two zones.

    An environment does not know whether a cluster of EKS will use it, but a second zone of its own can serve one.
    """
    network = spec.network
    if network.existing is not None or spec.environment is not None:
        return False
    second = network.secondary_availability_zone
    if spec.is_environment:
        return second is not None
    zones = {network.availability_zone, *_zones_with_private_subnets(spec)}
    return platform_of(spec).control_plane_spans_zones and (len(zones) < 2 or second not in (None, *zones))


def has_load_balancer(spec: Spec) -> bool:
    """Return whether a load balancer stands in front of a self-hosted Grafana: only with a certificate."""
    return spec.monitoring.mode == "self-hosting" and spec.monitoring.certificate is not None


def network_parameters(spec: Spec) -> dict[str, str]:
    """Return them, as far as the spec decides them."""
    existing = spec.network.existing
    vpc = _vpc(spec) if existing is None else {"ExistingVpcId": existing.vpc}
    efa = {"FileSystemEfa": "true"} if any(lustre.efa for _, _, lustre in spec.new_lustre()) else {}
    return {"VPCName": spec.name, **vpc, "MonitoringType": spec.monitoring.mode, **efa, **_access(spec)}


def _vpc(spec: Spec) -> dict[str, str]:
    network = spec.network
    zones = {"PrimarySubnetAZ": network.availability_zone, "SecondarySubnetAZ": network.secondary_availability_zone}
    without_internet = {} if network.internet == "nat" else _without_internet(spec)
    return {
        **_ranges(spec),
        **{parameter: zone for parameter, zone in zones.items() if zone is not None},
        **_further_zones(spec),
        **({"CreateControlPlaneSubnet": "true"} if makes_control_plane_subnet(spec) else {}),
        "Internet": network.internet,
        **without_internet,
    }


def _ranges(spec: Spec) -> dict[str, str]:
    if spec.network.cidr is None:
        return {}
    ranges = network_ranges(spec.network)
    return {
        "VpcCidrBlock": str(ranges.vpc[0]),
        "VpcSecondCidrBlock": "",
        "PublicSubnetCidrBlock": str(ranges.public),
        "SecondarySubnetCidrBlock": str(ranges.second_zone),
        "PrimaryPrivateSubnetCidrBlock": str(ranges.private),
        "PrivateSubnetCidrBlocks": ",".join(map(str, ranges.further)),
        "ControlPlaneSubnetCidrBlock": str(ranges.control_plane),
    }


def _without_internet(spec: Spec) -> dict[str, str]:
    choices = {
        "PublicNodes": "public" in _choices(spec),
        "SecretsManagerEndpoint": bool(secrets_of(spec)) or spec.monitoring.mode == "self-hosting",
        "LoginNodeEndpoints": spec.login_nodes is not None,
    }
    return {parameter: str(value).lower() for parameter, value in choices.items()}


def _choices(spec: Spec) -> set[str]:
    pools = (pool.subnet for _, pool in spec.login_pools())
    return {spec.head_node.subnet, *pools, *(queue.subnet for queue in spec.queues)}


def _further_zones(spec: Spec) -> dict[str, str]:
    return {f"PrivateSubnetAZ{zone_letter(zone)}": zone for zone in further_zones(spec)}


def further_zones(spec: Spec) -> list[str]:
    """Return the zones that get a private subnet beside the first one: those named, and those of queues."""
    return sorted(_zones_with_private_subnets(spec) - {spec.network.availability_zone})


def _zones_with_private_subnets(spec: Spec) -> set[str]:
    private = (queue for queue in spec.queues if queue.subnet == "private")
    return {*spec.network.further_availability_zones, *(zone for queue in private for zone in queue.zones)}


def zone_letter(zone: str) -> str:
    """Return the letter that names the subnet of a further zone: us-east-2c has PrivateSubnetC.

    Raises TrainyardError for a zone beyond those that the template has places for.
    """
    if zone[-1] not in ZONES:
        raise TrainyardError(
            f"the network has no place for a subnet in {zone}",
            where="queues",
            hint=f"name a zone that ends in {', '.join(ZONES)}, or a subnet of your own by id",
        )
    return zone[-1].upper()


def _access(spec: Spec) -> dict[str, str]:
    self_hosting = spec.monitoring.mode == "self-hosting"
    ranges = spec.access.allow_from if has_load_balancer(spec) or needs_prefix_list(spec) else ()
    if len(ranges) > MOST_RANGES:
        raise TrainyardError(
            f"access.allow_from has {len(ranges)} ranges, and the prefix list takes {MOST_RANGES}",
            where="access.allow_from",
            hint="join ranges that lie side by side",
        )
    listed = {f"AllowedIPs{number}": range_ for number, range_ in enumerate(ranges, 1)}
    without = self_hosting and not has_load_balancer(spec)
    return {**listed, **({"GrafanaLoadBalancer": "false"} if without else {})}
