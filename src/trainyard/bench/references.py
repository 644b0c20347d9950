"""Published runs that others can be held against: expectations/references.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import yaml

from trainyard.bench.curve import Curve, fit
from trainyard.bench.factors import busbw_factor
from trainyard.bench.machine import FOLDER, Machine, machine


class Reference(NamedTuple):
    """A run, as its publisher shows it."""

    id: str
    machine: Machine
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
    return tuple(_reference(one) for one in content)


def _reference(one: dict[str, Any]) -> Reference:
    found = machine(one["machine"])
    if found is None:
        raise ValueError(f"{one['id']}: {one['machine']} is no machine")
    made = Reference(
        one["id"], found, one["nodes"], one["gpus_per_node"], one["collective"], one.get("busbw_gb_s", {}),
        one["source"],
    )  # fmt: skip
    times = one.get("time_us", {})
    return made._replace(busbw_gb_s={**made.busbw_gb_s, **{s: s * made.factor / t / 1e3 for s, t in times.items()}})
