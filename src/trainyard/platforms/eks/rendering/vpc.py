"""Where a cluster of EKS lives: the subnets of its control plane and nodes, and who reaches its API."""

from __future__ import annotations

from typing import Any

from trainyard.errors import TrainyardError
from trainyard.render.cloudformation.network import further_zones, makes_control_plane_subnet, zone_letter
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

PRIMARY = "primary"
"""What the first private subnet is called where its zone is not known; otherwise subnets are called as their zones."""
_SECOND = "control-plane"


def vpc(spec: Spec, ids: Ids) -> dict[str, Any]:
    """Return the section vpc."""
    existing = spec.network.existing
    # One group that admits itself is on the control plane and on all nodes, also on those whose launch template eksctl
    # does not make, and file systems admit it: it is there before the cluster is, unlike EKS's own.
    return {
        "id": ids.of("VpcId") if existing is None else existing.vpc,
        "subnets": _subnets(spec, ids),
        "controlPlaneSecurityGroupIDs": [ids.of("ComputeNodeSecurityGroup")],
        **_endpoint(spec),
    }


def private_subnets(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the private subnets by what they are called in cluster.yaml: as their zones, where those are known."""
    existing = spec.network.existing
    if existing is not None:
        return {f"private-{number}": subnet for number, subnet in enumerate(existing.private_subnets, 1)}
    first = spec.network.availability_zone
    return {
        first or PRIMARY: ids.of("PrimaryPrivateSubnet", zone=first),
        **{zone: _in_further_zone(zone, ids) for zone in further_zones(spec)},
        **_second(spec, ids),
    }


def public_subnets(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the public subnets by name, nothing where no nodes stand there."""
    if all(queue.subnet != "public" for queue in spec.queues):
        return {}
    existing = spec.network.existing
    if existing is not None:
        return {f"public-{number}": subnet for number, subnet in enumerate(existing.public_subnets, 1)}
    return {"public": ids.of("PublicSubnet")}


def _subnets(spec: Spec, ids: Ids) -> dict[str, Any]:
    private = {name: {"id": id_} for name, id_ in private_subnets(spec, ids).items()}
    public = {name: {"id": id_} for name, id_ in public_subnets(spec, ids).items()}
    return {"private": private, **({"public": public} if public else {})}


def _in_further_zone(zone: str, ids: Ids) -> str:
    letter = zone_letter(zone)
    return ids.of("PrivateSubnet", label=letter, number=ord(letter) - ord("A") + 1, zone=zone)


def _second(spec: Spec, ids: Ids) -> dict[str, str]:
    """Return the subnet that nothing but the control plane needs, nothing where others lie in two zones already."""
    network = spec.network
    second = network.secondary_availability_zone
    if spec.environment is None and not makes_control_plane_subnet(spec):
        return {}
    if second == network.availability_zone and second is not None:
        _refuse(f"both zones of the network are {second}")
    if second is None and network.availability_zone is not None and spec.environment is None:
        _refuse(f"the control plane of EKS needs a second zone beside {network.availability_zone}")
    return {second or _SECOND: ids.of("ControlPlaneSubnet", zone=second)}


def _refuse(problem: str) -> None:
    hint = "name another zone of the region; a subnet there costs nothing by itself"
    raise TrainyardError(problem, where="network.secondary_availability_zone", hint=hint)


def _endpoint(spec: Spec) -> dict[str, Any]:
    public, private = spec.eks.endpoint in ("public", "both"), spec.eks.endpoint in ("private", "both")
    ranges = list(spec.access.allow_from) if public else []
    return {
        "clusterEndpoints": {"publicAccess": public, "privateAccess": private},
        **({"publicAccessCIDRs": ranges} if ranges else {}),
    }
