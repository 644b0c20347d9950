"""What an hour of each kind of instances of a cluster costs at list prices, as far as that is known: for metrics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog import prices
from trainyard.spec.cluster import Spec


class ListPrice(NamedTuple):
    """A kind of instances that are paid alike."""

    queue: str
    """Empty for the head node and login nodes."""
    instance_type: str
    purchase: str
    """on-demand, reservation, reservation_group or capacity_block."""
    usd_per_hour: float
    """Of a Capacity Block, which is paid in advance, the least that offers have been."""


def list_prices(spec: Spec) -> list[ListPrice]:
    """Return them, without what has no known price, such as Spot instances.

    Where a queue gets one type in two ways, nobody can tell by the instance which one it is: two prices are none.
    """
    by_kind: dict[tuple[str, str], set[ListPrice | None]] = {}
    for queue, instance_type, purchase in _kinds(spec):
        usd = _usd_per_hour(instance_type, purchase, spec.region)
        price = None if usd is None else ListPrice(queue, instance_type, purchase, usd)
        by_kind.setdefault((queue, instance_type), set()).add(price)
    alike = [of_kind.pop() for of_kind in by_kind.values() if len(of_kind) == 1]
    return sorted(price for price in alike if price is not None)


def price_settings(spec: Spec, queue: str | None = None, instance_type: str = "") -> str:
    """Return them as nodes have them in their settings, each as QUEUE:TYPE:PURCHASE:USD: all, or those of a kind."""
    chosen = (price for price in list_prices(spec) if queue is None or price[:2] == (queue, instance_type))
    return " ".join(f"{price.queue}:{price.instance_type}:{price.purchase}:{price.usd_per_hour:g}" for price in chosen)


def _kinds(spec: Spec) -> Iterator[tuple[str, str, str]]:
    yield "", spec.head_node.instance_type, "on-demand"
    for _, pool in spec.login_pools():
        yield "", pool.instance_type, "on-demand"
    for group in spec.node_groups():
        for instance_type in group.instance_types:
            yield group.queue.name, instance_type, group.capacity_kind


def _usd_per_hour(instance_type: str, purchase: str, region: str) -> float | None:
    if purchase == "spot":
        return None
    if purchase == "capacity_block":
        offers = prices.capacity_block_hour(instance_type, region)
        return None if offers is None else offers.least_usd
    price = prices.instance_hour(instance_type, region)
    return None if price is None else price.usd
