"""What trainyard-node says of the EFA interfaces of a node."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.monitoring.registry import registry
from trainyard.simulation.curve import Curve, Piece, constant
from trainyard.simulation.node import PHASES, SimulatedNode, SimulatedSeries, Where, data, labelled, pieces

_NO_COUNTER = {"node_amazonefa_info": 1, "node_amazonefa_lifespan": 12}
_TOTAL = re.compile("trainyard_efa_(.+)_total")


def efa_series(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield the series of all interfaces, one interface after the other, their totals, and how many there are."""
    counters = {
        name: labels for name, labels in registry("efa").items() if "device" in labels and "counter" not in labels
    }
    ways: dict[str, list[tuple[Piece, ...]]] = {name: [] for name in counters}
    for number in range(node.efa_interfaces):
        device = interface_name(number)
        for name, labels in counters.items():
            told = [("device", device), *([("port", "1")] if "port" in labels else [])]
            found = pieces(node, "efa", name, _values(name), Where(device=device))
            ways[name].append(found)
            yield SimulatedSeries(name, labelled(told), Curve(found, phase=node.phase % PHASES))
    for total in filter(None, map(_TOTAL.fullmatch, registry("efa"))):
        if found := tuple(map(_total, zip(*ways[f"node_amazonefa_{total[1]}"], strict=True))):
            yield SimulatedSeries(total[0], "", Curve(found, phase=node.phase % PHASES))
    yield SimulatedSeries("trainyard_efa_interfaces", "", _count(node))
    yield SimulatedSeries("trainyard_efa_interfaces_expected", "", constant(node.efa_interfaces))


def interface_name(number: int) -> str:
    """Return a name as on p5, which has four interfaces on each bus: https://github.com/aws/eks-charts/pull/1144."""
    return f"rdmap{79 + 17 * (number // 4) + number % 4}s0"


def _values(name: str) -> dict[str, object]:
    always = data("efa_rates")["always"].get(name, 0)
    rates = {activity: data("efa_rates").get(activity, {}).get(name, always) for activity in ("busy", "idle")}
    return {"start": _NO_COUNTER.get(name, 0), "rate": rates}


def _total(moment: tuple[Piece, ...]) -> Piece:
    """Return by how much the interfaces that are there grow together."""
    there = [piece for piece in moment if piece.level is not None]
    rate, added = sum(piece.rate_per_s for piece in there), sum(piece.added for piece in there)
    return Piece(moment[0].from_s, 0, rate, added)


def _count(node: SimulatedNode) -> Curve:
    devices = [interface_name(number) for number in range(node.efa_interfaces)]
    ways = [pieces(node, "efa", "", {"start": 1}, Where(device=device)) for device in devices]
    counted = [
        moment[0]._replace(level=sum(piece.level or 0 for piece in moment)) for moment in zip(*ways, strict=True)
    ]
    return Curve(tuple(counted)) if counted else constant(0)
