"""Published runs that others can be held against: expectations/references.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import yaml

from trainyard.bench.ceiling import busbw_factor
from trainyard.bench.curve import Curve, fit
from trainyard.bench.machine import FOLDER, MachineType, machine


class Reference(NamedTuple):
    """A run, as its publisher shows it."""

    id: str
    machine: MachineType
    nodes: int
    gpus_per_node: int
    collective: str
    busbw_gb_s: Mapping[int, float]
    """By size in bytes."""
    source: str

    @property
    def factor(self) -> float:
        """Return bus bandwidth by algorithm bandwidth."""
        factor = busbw_factor(self.collective, self.nodes * self.gpus_per_node)
        if factor is None:
            raise ValueError(f"{self.id}: {self.collective} has no bus bandwidth")
        return factor

    @property
    def plateau_gb_s(self) -> float:
        """Return its highest bus bandwidth."""
        return max(self.busbw_gb_s.values())

    def curve(self) -> Curve | None:
        """Return its time by size, or None where too few sizes were published, or none that shows latency."""
        times = {size: size * self.factor / busbw / 1e3 for size, busbw in self.busbw_gb_s.items() if busbw > 0}
        return fit(times) if len(times) >= 10 else None


@cache
def references() -> tuple[Reference, ...]:
    """Return all of them."""
    content = yaml.load((FOLDER / "references.yaml").read_bytes(), Loader=yaml.CSafeLoader)
    return tuple(_reference(entry) for entry in content)


def _reference(entry: dict[str, Any]) -> Reference:
    hardware = machine(entry["machine"])
    if hardware is None:
        raise ValueError(f"{entry['id']}: {entry['machine']} is no machine")
    reference = Reference(
        entry["id"], hardware, entry["nodes"], entry["gpus_per_node"], entry["collective"], entry.get("busbw_gb_s", {}),
        entry["source"],
    )  # fmt: skip
    times = entry.get("time_us", {})
    return reference._replace(
        busbw_gb_s={**reference.busbw_gb_s, **{s: s * reference.factor / t / 1e3 for s, t in times.items()}}
    )
