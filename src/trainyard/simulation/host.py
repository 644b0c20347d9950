"""What Prometheus keeps of what node_exporter says of a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.simulation.curve import Curve, constant
from trainyard.simulation.node import PHASES, SimulatedNode, SimulatedSeries, Where, data, labelled, pieces

_FILE_SYSTEM = ("size_bytes", "avail_bytes", "readonly", "files", "files_free")


def host_series(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield the series of the host."""
    values = data("host_values")
    for name, value in values["plain"].items():
        if not name.startswith(values["without"][node.kind]):
            yield _series(node, name, (), value)
    yield from _uname(node, values["uname"])
    began_s = node.stretches[0].from_s
    yield SimulatedSeries("node_boot_time_seconds", "", constant(began_s))
    yield _series(node, "node_time_seconds", (), {"start": began_s, "rate": {"busy": 1, "idle": 1}, "digits": 3})
    yield from _cpus(node, values["cpu_modes"])
    yield from _file_systems(node, values)
    for name, value in values["disks"].items():
        yield _series(node, name, (("device", "nvme0n1"),), value)
    for name, value in values["network"].items():
        yield _series(node, name, (("device", "ens32"),), value)


def _series(
    node: SimulatedNode, name: str, labels: tuple[tuple[str, str], ...], values: Mapping[str, Any], key: str = ""
) -> SimulatedSeries:
    found = pieces(node, "host", key or name, values, Where())
    curve = Curve(found, values.get("wave", 0), values.get("digits"), phase=node.phase % PHASES)
    return SimulatedSeries(name, labelled(labels), curve)


def _uname(node: SimulatedNode, uname: Mapping[str, str]) -> Iterator[SimulatedSeries]:
    told = sorted({**uname, "nodename": node.host}.items())
    yield SimulatedSeries("node_uname_info", labelled(told), constant(1))


def _cpus(node: SimulatedNode, modes: Mapping[str, Mapping[str, float]]) -> Iterator[SimulatedSeries]:
    """Yield the seconds of each CPU. All of a node are alike."""
    for mode, shares in modes.items():
        if mode == "idle" or node.kind == "HeadNode":
            first = _series(node, "node_cpu_seconds_total", (), {"start": 40000, "rate": shares, "digits": 2})
            for cpu in range(node.facts.vcpus or 0):
                yield first._replace(labels=labelled([("cpu", str(cpu)), ("mode", mode)]))


def cpu_series(node: SimulatedNode) -> Iterator[SimulatedSeries]:
    """Yield what trainyard-node says of all CPUs of a node together."""
    cpus = node.facts.vcpus or 0
    shares = {activity: cpus * share for activity, share in data("host_values")["cpu_modes"]["idle"].items()}
    yield SimulatedSeries("trainyard_cpus", "", constant(cpus))
    yield _series(node, "trainyard_cpu_idle_seconds_total", (), {"start": 0, "rate": shares, "digits": 2})


def _file_systems(node: SimulatedNode, values: Mapping[str, Any]) -> Iterator[SimulatedSeries]:
    for one in values["filesystems"]:
        if node.kind == one.get("not_on") or node.kind != one.get("only_on", node.kind):
            continue
        labels = tuple((name, one[name]) for name in ("device", "fstype", "mountpoint"))
        known = {"size_bytes": one["size"], "avail_bytes": one["avail"], "readonly": 0, **values["inodes"]}
        for metric in _FILE_SYSTEM:
            name = f"node_filesystem_{metric}"
            yield _series(node, name, labels, {"start": known[metric]}, key=f"{name}{{{one['mountpoint']}}}")
