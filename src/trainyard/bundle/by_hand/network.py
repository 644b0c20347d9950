"""Finding subnets, and making the list of address ranges that may use SSH."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import assigned, aws, shell_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.render.stand_ins import StandIn
    from trainyard.spec.cluster import Spec


def subnets(spec: Spec, stand_in: StandIn) -> Sequence[str]:
    """Return how to list the subnets of the VPC that come into question, and to choose one."""
    public = "true" if stand_in.output == "PublicSubnet" else "false"
    in_zone = [f"Name=availability-zone,Values={stand_in.zone}"] if stand_in.zone else []
    listed = aws(
        spec.region, "ec2 describe-subnets", "--filters", "Name=vpc-id,Values=$VPC_ID",
        f"Name=map-public-ip-on-launch,Values={public}", *in_zone,
        "--query", "Subnets[].[SubnetId,AvailabilityZone]", "--output", "text",
    )  # fmt: skip
    return [listed, f"{shell_name(stand_in.output)}=subnet-…   # one of those"]


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
