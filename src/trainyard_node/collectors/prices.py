"""What the instances of the cluster cost at list prices, and what a month may cost: what the spec and its region say.

The head node tells it for all queues, as a node that is broken, and paid for, tells nothing of itself; on Amazon EKS,
which has none, each node tells its own.
"""

from __future__ import annotations

from trainyard_node.collectors.collector import NothingHere
from trainyard_node.errors import SETTING, NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.samples import Samples

_PRICES, _BUDGET = "TRAINYARD_LIST_PRICES", "TRAINYARD_BUDGET_USD_MONTH"


class PricesCollector:
    """Reads two settings of the node."""

    name = "prices"
    interval_s = 60.0
    deadline_s = 5.0

    def __init__(self, world: World) -> None:
        """Remember where they are."""
        self._world = world

    def collect(self) -> Samples:
        """Read them. Raises NothingHere where no price is known, NodeError where one cannot be read."""
        settings = read_node_env(self._world.places)
        prices, budget = settings.get(_PRICES, "").split(), settings.get(_BUDGET, "")
        if not prices and not budget:
            raise NothingHere("no list price of an instance of this cluster is known")
        samples = Samples("prices")
        for price in prices:
            samples.add("trainyard_instance_price_usd_per_hour", _usd(price.rpartition(":")[2]), *_labels(price))
        if budget:
            samples.add("trainyard_budget_usd_per_month", _usd(budget))
        return samples


def _labels(price: str) -> tuple[str, ...]:
    """Return queue, type and purchase of QUEUE:TYPE:PURCHASE:USD. The queue of head and login nodes is empty."""
    labels = tuple(price.split(":")[:-1])
    if len(labels) != 3:
        raise NodeError(f"{_PRICES} of node.env has {price!a:.80}, which is no price", SETTING)
    return labels


def _usd(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise NodeError(f"{text!a:.40} in node.env is no number of USD", SETTING) from error
