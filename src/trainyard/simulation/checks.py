"""What trainyard-node says of the health of a compute node, and of itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trainyard.simulation.curve import Curve, Piece, constant
from trainyard.simulation.node import SimulatedNode, SimulatedSeries, Stretch, Trouble, data, labelled

# In this order, a later one is worse: STATUSES of trainyard_node/health/outcome.py.
_STATUSES = ("absent", "ok", "warning", "unknown", "failed")
_COLLECTORS = ("cpu", "efa", "health")


def check_series(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield each check in all its states, each problem with its device, and what the collectors say of themselves."""
    yield SimulatedSeries("trainyard_node_healthy", "", _over_time(node, _is_healthy))
    for check in data("node_checks")["checks"]:
        for status in _STATUSES:
            told = labelled([("check", check), ("status", status)])

            def is_so(stretch: Stretch, check: str = check, status: str = status) -> float:
                return float(_status(node, stretch, check) == status)

            yield SimulatedSeries("trainyard_health_check", told, _over_time(node, is_so))
    yield from _problems(node)
    for name, value in data("node_checks")["collectors"].items():
        for collector in (*_COLLECTORS, *(() if node.jobs is None else ("jobs",))):
            yield SimulatedSeries(name, labelled([("collector", collector)]), constant(value, digits=3))
    yield SimulatedSeries("trainyard_node_info", 'version="simulated"', constant(1))


def _over_time(node: SimulatedNode, value: Callable[[Stretch], float]) -> Curve:
    return Curve(tuple(Piece(stretch.from_s, value(stretch)) for stretch in node.stretches))


def _found(trouble: Trouble) -> Mapping[str, str]:
    found: Mapping[str, str] = trouble.effects.get("checks", {})
    return found


def _status(node: SimulatedNode, stretch: Stretch, check: str) -> str:
    bad = [_found(trouble)[check] for trouble in stretch.troubles if check in _found(trouble)]
    if bad:
        return max(bad, key=_STATUSES.index)
    needs_gpu, needs_efa = check.startswith("gpu-"), check.startswith("efa-")
    return "absent" if (needs_gpu and not node.gpus) or (needs_efa and not node.efa_interfaces) else "ok"


def _is_healthy(stretch: Stretch) -> float:
    return float(all("failed" not in _found(trouble).values() for trouble in stretch.troubles))


def _problems(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield a series for each problem, which is there only while the problem is."""
    for trouble in node.troubles:
        devices = [f"gpu {gpu}" for gpu in trouble.gpus] or [""]
        for check, status in _found(trouble).items():
            for device in devices if check in data("node_checks")["of_devices"] else [""]:
                told = labelled([("check", check), ("device", device), ("status", status), *_xid(trouble, check)])
                found = (Piece(trouble.from_s, 1), Piece(trouble.until_s, None))
                yield SimulatedSeries("trainyard_health_problem", told, Curve(found))


def _xid(trouble: Trouble, check: str) -> list[tuple[str, str]]:
    """Return the number of an Xid and what it means, as trainyard_node/health/xid.json has it."""
    number = trouble.effects.get("xid", "") if check == "gpu-xid" else ""
    return [("code", str(number)), ("text", data("node_checks")["xids"].get(number, ""))]
