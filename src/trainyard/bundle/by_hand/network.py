"""Finding subnets, and making the list of address ranges that may use SSH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def nodes_subnet(spec: Spec) -> str:
    """Return the private subnet of the nodes, where file systems and endpoints go as well: its id, or a variable."""
    existing = spec.network.existing
    return "$NODES_SUBNET" if existing is None else existing.private_subnets[0]


def subnets(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to list the subnets of the VPC that come into question, and to choose one."""
    return choice_of_subnet(spec, shell_name(stand_in.output), stand_in.zone, public=stand_in.output == "PublicSubnet")


def choice_of_subnet(spec: Spec, variable: str, zone: str | None, *, public: bool) -> Sequence[str]:
    """Return how to list the public or private subnets of a zone, or of all zones, and to choose one."""
    in_zone = [f"Name=availability-zone,Values={zone}"] if zone else []
    listed = aws(
        spec.region, "ec2 describe-subnets", "--filters", "Name=vpc-id,Values=$VPC_ID",
        f"Name=map-public-ip-on-launch,Values={'true' if public else 'false'}", *in_zone,
        "--query", "Subnets[].[SubnetId,AvailabilityZone]", "--output", "text",
    )  # fmt: skip
    return [listed, f"{variable}=subnet-…   # one of those"]


def prefix_list(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to make one prefix list of all address ranges."""
    ranges = spec.access.allow_from
    made = aws(
        spec.region, "ec2 create-managed-prefix-list", "--prefix-list-name", f"{spec.name}-ssh",
        "--address-family", "IPv4", "--max-entries", str(len(ranges)),
        "--entries", *(f"Cidr={cidr}" for cidr in ranges),
        "--query", "PrefixList.PrefixListId", "--output", "text",
    )  # fmt: skip
    return [assigned(shell_name(stand_in.output), made)]
