"""A Capacity Block of which one half is written, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.capacity_block_without_its_type import comes_in_blocks
from trainyard.rules.eksctl.config import RESERVATION_KEYS, node_groups

# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateInstanceMarketOptionsRequest.html
_MARKETS = ("capacity-block", "spot")


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups that name the market and no block, a block and no market, or a market that EC2 has not."""
    for group in node_groups(document):
        market = (*group.path, "instanceMarketOptions", "marketType")
        if group.market is not None and group.market not in _MARKETS:
            yield Problem(market, f"EC2 has no market {group.market!r}", f"write one of {', '.join(_MARKETS)}")
        elif group.market == "capacity-block" and not group.reservation:
            yield Problem(market, f"node group {group.name!r} asks for a capacity-block and names none")
        elif group.market is None and (name := next(filter(comes_in_blocks, group.instance_types), None)):
            message = f"{name} comes in Capacity Blocks only, and node group {group.name!r} asks for none"
            yield Problem((*group.path, "instanceType"), message)


RULE = DocumentRule(
    severity="error",
    title="Capacity Block without its other half",
    rationale=(
        "EC2 launches into a Capacity Block only where the launch template names both: the market capacity-block and "
        "the block as the target of a capacity reservation. With one of them the launch is refused, or runs on "
        "demand where nothing is to be had."
    ),
    remedy=(
        "write instanceMarketOptions: {marketType: capacity-block} and "
        f"capacityReservation: {{capacityReservationTarget: {{{RESERVATION_KEYS[0]}: cr-…}}}}"
    ),
    source="https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html",
    bad="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
    instanceMarketOptions: {marketType: capacity-block}
""",
    good="""\
managedNodeGroups:
  - name: p5
    instanceType: p5.48xlarge
    efaEnabled: true
    privateNetworking: true
    availabilityZones: [us-east-2a]
    capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
    instanceMarketOptions: {marketType: capacity-block}
""",
    check=check,
)
