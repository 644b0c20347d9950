"""What the compute nodes of a cluster cost an hour, with their root volumes."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.catalog.prices import Price
from trainyard.deploy.plan.cost_line import CostLine, by_the_hour, volume_lines
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html
_BASIS = {
    "on-demand": "on demand, while a node runs",
    "spot": "spot: the price moves, and is at most the on-demand price or the one that the spec sets",
    "reservation": (
        "a reservation is paid at the on-demand price whether its instances run or not; counted as large as the queue"
    ),
    "reservation_group": (
        "reservations are paid at the on-demand price whether their instances run or not; counted as large as the queue"
    ),
    "capacity_block": (
        "a Capacity Block is paid in advance for its whole period, whether it is used or not, at the price of its offer"
    ),
}
_PRICED = ("on-demand", "reservation", "reservation_group")
_PAID_UNUSED = ("reservation", "reservation_group", "capacity_block")


def compute_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield the compute nodes of every queue."""
    for group in spec.node_groups():
        yield _instances(spec, group)
        count = (group.min_nodes, group.max_nodes)
        yield from volume_lines(f"root volumes of {_name(group)}", group.queue.root_volume, spec.region, count)


def _instances(spec: Spec, group: NodeGroup) -> CostLine:
    kind = group.capacity_kind
    least = group.max_nodes if kind in _PAID_UNUSED else group.min_nodes
    price = _one_price(group.instance_types, spec.region) if kind in _PRICED else None
    what = f"{_name(group)}, {' or '.join(group.instance_types)}"
    return by_the_hour(what, "instance", (least, group.max_nodes), price, _BASIS[kind])


def _one_price(instance_types: tuple[str, ...], region: str) -> Price | None:
    """Return the price of whichever type a node is; None where they differ or one is unknown."""
    hourly = [prices.instance_hour(name, region) for name in instance_types]
    same = {None if price is None else price.usd for price in hourly}
    return hourly[0] if len(same) == 1 else None


def _name(group: NodeGroup) -> str:
    return f"queue {group.queue.name}" if group.queue.compute_resources is None else f"{group.queue.name}/{group.name}"
