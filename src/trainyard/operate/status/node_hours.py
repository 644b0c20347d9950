"""What the instances of a cluster have cost so far, by their hours and list prices: an estimate, never a bill."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.catalog import prices
from trainyard.edge.aws.nodes import ClusterNode

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-lifecycle.html
_PAID = {"running", "stopping"}
_UNPRICED = {
    "spot": "spot: its price moves",
    "capacity-block": "a Capacity Block: paid in advance, used or not",
}


class HourLine(NamedTuple):
    """Instances of one type that are paid alike."""

    instance_type: str
    purchase: str
    instances: int
    hours: float
    """Of all of them together, since each was launched."""
    usd: float | None
    """None where nobody knows."""
    why: str | None
    """Why nobody knows."""


class NodeHours(NamedTuple):
    """What the instances that are there have cost since each was launched. Those that are gone are not in it."""

    lines: tuple[HourLine, ...]
    read: str | None
    """The day of the oldest price among them."""

    @property
    def usd(self) -> float:
        """The sum of what is known."""
        return sum(line.usd for line in self.lines if line.usd is not None)

    @property
    def usd_an_hour(self) -> float:
        """What an hour of all of them costs, as far as that is known."""
        return sum(line.usd / line.hours * line.instances for line in self.lines if line.usd is not None and line.hours)


def node_hours(nodes: Iterable[ClusterNode], region: str, now_s: float) -> NodeHours:
    """Return what the hours of the instances have cost."""
    alike: dict[tuple[str, str], list[float]] = defaultdict(list)
    for node in nodes:
        if node.state in _PAID and node.launched is not None:
            alike[node.instance_type, node.purchase].append(_hours(node.launched, now_s))
    lines = [_line(*kind, hours, region) for kind, hours in sorted(alike.items())]
    read = [price.source.read for kind, _ in alike if (price := prices.instance_hour(kind, region)) is not None]
    return NodeHours(tuple(lines), min(map(str, read), default=None))


def _line(instance_type: str, purchase: str, hours: list[float], region: str) -> HourLine:
    price = prices.instance_hour(instance_type, region)
    why = _UNPRICED.get(purchase) or (None if price is not None else f"no price of it in {region} is known")
    usd = None if why is not None or price is None else sum(hours) * price.usd
    return HourLine(instance_type, purchase, len(hours), sum(hours), usd, why)


def _hours(launched: str, now_s: float) -> float:
    at = datetime.fromisoformat(launched)
    return max(now_s - (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp(), 0) / 3600
