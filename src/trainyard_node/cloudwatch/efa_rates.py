"""How much goes through the EFA interfaces, from what they had counted a minute before.

By default one sum for the node: by interface, a p5.48xlarge has 32 times as many metrics, each of which costs.
Newer agents read EFA too, but by interface, into the one namespace that they have, and ParallelCluster's images need
not have one that does: https://docs.amazonaws.cn/AmazonCloudWatch/latest/monitoring/CloudWatch-Agent-EFA.html
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard_node.collectors.efa import CLASS
from trainyard_node.collectors.efa_device import PREFIX, names_in, read_device
from trainyard_node.embedded_metrics import MetricBatch, MetricValues
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.samples import Samples

NAMESPACE = "ParallelCluster/Network"
# After a longer gap, such as a node that slept, nobody knows which minute an average belongs to.
_LONGEST_GAP_S = 150.0

Counts = dict[str, dict[str, int]]
"""Counter to interface to what it counted."""


class _Rate(NamedTuple):
    """A metric of one counter."""

    name: str
    unit: str
    per_second: bool


# EFA counts neither errors nor discards under these names. What it receives and drops is its only error of receiving;
# tx_discards is left out, as nothing that is sent is discarded: it is sent again, which is counted since Nitro v4.
# https://github.com/amzn/amzn-drivers/blob/master/kernel/linux/efa/src/efa_verbs.c
RATES = {
    "rx_bytes": _Rate("rx_bytes_rate", "Bytes/Second", per_second=True),
    "tx_bytes": _Rate("tx_bytes_rate", "Bytes/Second", per_second=True),
    "rx_pkts": _Rate("rx_packets_rate", "Count/Second", per_second=True),
    "tx_pkts": _Rate("tx_packets_rate", "Count/Second", per_second=True),
    "rx_drops": _Rate("rx_errors", "Count", per_second=False),
    "retrans_pkts": _Rate("tx_retransmits", "Count", per_second=False),
}


class EfaRates:
    """Remembers what was counted."""

    name = "efa"

    def __init__(self, world: World, instance_id: str, groups: frozenset[str]) -> None:
        """Give sums for `efa`, and each interface for `efa-interfaces`."""
        self._world, self._instance, self._groups = world, instance_id, groups
        self._before: Counts = {}
        self._at_s = 0.0

    def batches(self) -> Iterator[MetricBatch]:
        """Yield what went through since the last time: nothing the first time, and nothing after a long gap."""
        now, at_s = read_counts(self._world), self._world.clock.seconds()
        before, passed_s = self._before, at_s - self._at_s
        self._before, self._at_s = now, at_s
        if not before or not 0 < passed_s <= _LONGEST_GAP_S:
            return
        grown = {counter: _grown(before.get(counter, {}), now[counter]) for counter in now}
        if "efa" in self._groups:
            yield self._batch({}, [_summed(grown[counter], RATES[counter], passed_s) for counter in grown])
        if "efa-interfaces" in self._groups:
            yield from self._by_interface(grown, passed_s)

    def _by_interface(self, grown: dict[str, dict[str, int | None]], passed_s: float) -> Iterator[MetricBatch]:
        for interface in sorted({name for by_name in grown.values() for name in by_name}):
            of_one = {counter: {interface: by_name.get(interface)} for counter, by_name in grown.items()}
            metrics = [_summed(by_name, RATES[counter], passed_s) for counter, by_name in of_one.items()]
            yield self._batch({"Interface": interface}, metrics)

    def _batch(self, more: dict[str, str], metrics: list[MetricValues]) -> MetricBatch:
        return MetricBatch(NAMESPACE, {"InstanceId": self._instance, **more}, metrics)


def read_counts(world: World) -> Counts:
    """Return what the interfaces have counted. Raises NodeError where there is none."""
    counts = _Counts()
    folder = str(world.places.at(CLASS))
    try:
        interfaces = sum([read_device(f"{folder}/{name}", name, counts) for name in names_in(folder)])
    except OSError as error:
        raise NodeError(f"{folder} cannot be listed ({error.strerror}): the EFA driver is not loaded") from error
    if not interfaces:
        raise NodeError(f"no device in {CLASS} is an EFA interface: see trainyard-node health")
    return counts.counts


class _Counts(Samples):
    """Keeps numbers instead of text."""

    def __init__(self) -> None:
        super().__init__("efa")
        self.counts: Counts = {counter: {} for counter in RATES}

    def add(self, name: str, value: float, *labels: str) -> None:
        counter = name[len(PREFIX) :] if name.startswith(PREFIX) else ""
        if counter in self.counts:
            self.counts[counter][labels[0]] = int(value)


def _grown(before: dict[str, int], now: dict[str, int]) -> dict[str, int | None]:
    """Return by how much each interface counted more. None where it began anew or cannot be read."""
    return {name: _difference(count, now.get(name)) for name, count in before.items()}


def _difference(before: int, now: int | None) -> int | None:
    return None if now is None or now < before else now - before


def _summed(grown: dict[str, int | None], rate: _Rate, passed_s: float) -> MetricValues:
    """Return a metric, without a value where one interface lacks it: a sum of the others would look like a slump."""
    counts = [count for count in grown.values() if count is not None]
    if not counts or len(counts) < len(grown):
        return MetricValues(rate.name, rate.unit, ())
    return MetricValues(rate.name, rate.unit, (sum(counts) / passed_s if rate.per_second else float(sum(counts)),))
