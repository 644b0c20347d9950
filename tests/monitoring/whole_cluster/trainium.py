"""An hour of two nodes with Trainium, which the cluster of the other tests has none of: one of them stops executing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.node.collectors.neuron_tree import report, show_devices
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.neuron import NeuronCollector
from trainyard_node.machine import World
from trainyard_node.places import Places

STEP_S, STOPS_S = 30, 1500
_REPORT_S = 5


def trainium_samples(folder: Path, times: Sequence[int]) -> Iterator[str]:
    """Yield the samples of both nodes, lines of OpenMetrics, a series after the other."""
    for number in (1, 2):
        root = folder / f"trainium-{number}"
        show_devices(root, ecc={"mem_ecc_repairable_uncorrected": 3} if number == 1 else None)
        labels = _labels(number)
        found: dict[str, list[str]] = {}
        clock = FakeClock()
        reports = _Reports(number, times[-1])
        collector = NeuronCollector(World(Places(str(root)), clock, FakeProcesses(clock)), reports)
        for at_s in times:
            reports.at_s = at_s
            for line in collector.collect().text().splitlines():
                if not line.startswith("#"):
                    series, _, value = line.rpartition(" ")
                    name, brace, own = series.partition("{")
                    full = f"{name}{{{labels},{own}" if brace else f"{name}{{{labels}}}"
                    found.setdefault(full, []).append(f"{full} {value} {at_s}\n")
        for lines in found.values():
            yield from lines


def _labels(number: int) -> str:
    place = f'instance="10.0.17.{number}:9341",instance_id="i-{0xA0 + number:017x}",node_name="ip-10-0-17-{number}"'
    kind = 'cluster="p5-cluster",instance_type="trn1.32xlarge",node_type="Compute",queue="trn"'
    return f'job="trainyard-node",{kind},{place}'


class _Reports:
    """Training of 32 processes: steps, a checkpoint every ten minutes, and the hang of the second node."""

    def __init__(self, number: int, end_s: int) -> None:
        self._number, self._end_s = number, end_s
        self.at_s = 0

    def take(self) -> list[Mapping[str, Any]]:
        hangs = self._number == 2 and self.at_s > self._end_s - STOPS_S
        saves = self.at_s % 600 < 2 * STEP_S
        completed = 0 if hangs or saves else 50
        errors = {"numerical": int(self._number == 1 and self._end_s - 600 < self.at_s <= self._end_s - 570)}
        utilization = 100.0 if hangs else 4.0 if saves else 88.0
        one: Mapping[str, Any] = report(utilization=utilization, completed=completed, **errors)
        return [one] * (STEP_S // _REPORT_S)
