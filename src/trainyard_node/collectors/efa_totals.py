"""What all EFA interfaces of a node count together, so that nobody reads 32 of them to know what the node does."""

from __future__ import annotations

from trainyard_node.collectors.efa_device import PREFIX
from trainyard_node.samples import Samples, metrics

_BEGIN, _END = "trainyard_efa_", "_total"


class EfaTotals:
    """Sums that never fall: of what each interface has counted since they began.

    A plain sum falls by all that an interface ever counted when it goes away, which Prometheus takes for a counter that
    began anew, and for that many bytes within seconds: https://prometheus.io/docs/prometheus/latest/querying/functions/#rate
    """

    def __init__(self) -> None:
        """Begin at zero."""
        self._last: dict[str, dict[str, float]] = {}
        self._totals: dict[str, float] = {}

    def add_to(self, samples: Samples) -> None:
        """Add the total of each counter that an interface has or had, of what was read of interfaces."""
        for total, counter in _counters().items():
            values, last = samples.values(counter), self._last.get(counter, {})
            if values or total in self._totals:
                grown = sum(_grown(last.get(interface), value) for interface, value in values.items())
                self._totals[total] = self._totals.get(total, 0) + grown
                samples.add(total, self._totals[total])
            # What an interface counts while it is not read would all be of the moment in which it is read again.
            self._last[counter] = dict(values)


def _grown(before: float | None, value: float) -> float:
    """Return by how much a counter has grown: nothing at first, and from zero where the driver was loaded anew."""
    if before is None:
        return 0
    return value - before if value >= before else value


def _counters() -> dict[str, str]:
    """Return of which counter each total is, as their names say."""
    totals = [name for name in metrics("efa") if name.startswith(_BEGIN) and name.endswith(_END)]
    return {name: PREFIX + name[len(_BEGIN) : -len(_END)] for name in totals}
