"""How much metrics a planned cluster will make, as ``trainyard plan`` shows it."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainyard.monitoring.sizing import Sizing

Sizings = tuple["Sizing", "Sizing"]


def metrics_lines(sizings: Sizings) -> Iterator[str]:
    """Yield them for people, with the fewest and with the most nodes."""
    least, most = sizings
    yield "Metrics, with the fewest and with the most nodes"
    yield f"  {_range(sizings, attrgetter('nodes')):>20}   nodes that are scraped"
    yield f"  {_range(sizings, attrgetter('series')):>20}   series"
    yield f"  {_range(sizings, attrgetter('samples_per_s')):>20}   samples a second"
    yield f"  {_range(sizings, attrgetter('server_memory_mib')):>20}   MiB of memory of a Prometheus that keeps them"
    if least.series is None or most.series is None:
        yield "  What is unknown is of instance types that the catalog knows too little of."


def metrics_values(sizings: Sizings) -> dict[str, Any]:
    """Return them for programs."""
    return {name: _values(sizing) for name, sizing in zip(("least", "most"), sizings, strict=True)}


def _values(sizing: Sizing) -> dict[str, Any]:
    samples, memory = sizing.samples_per_s, sizing.server_memory_mib
    return {
        "nodes": sizing.nodes,
        "series": sizing.series,
        "samples_per_s": None if samples is None else round(samples, 1),
        "keeper_memory_mib": None if memory is None else round(memory),
    }


def _range(sizings: Sizings, of: Callable[[Sizing], float | None]) -> str:
    least, most = ("unknown" if (value := of(sizing)) is None else f"{value:,.0f}" for sizing in sizings)
    return least if least == most else f"{least} to {most}"
