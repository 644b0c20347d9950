"""One collector and its last good reading, which is what is served: asking more often never reads more often."""

from __future__ import annotations

import threading
from typing import NamedTuple

from trainyard_node.clock import Clock
from trainyard_node.collectors.collector import Collector, NothingHere
from trainyard_node.errors import NodeError
from trainyard_node.output import err
from trainyard_node.samples import Samples

# More than this is no cluster but a mistake, and nothing that Prometheus should keep.
MOST_SAMPLES = 1_000_000


class LastReading(NamedTuple):
    """A reading that worked, or that found nothing to read."""

    text: bytes
    samples: int
    at_s: float
    present: bool


class CollectorReader:
    """Reads a collector again and again, in a thread of its own."""

    def __init__(self, collector: Collector, clock: Clock) -> None:
        """Begin without a reading."""
        self.collector = collector
        self.kept: LastReading | None = None
        self.duration_s: float | None = None
        self.readings = self.failures = 0
        self._clock = clock
        self._began_s: float | None = None
        self._worked = False
        self._complained = ""

    def keep_reading(self, stop: threading.Event) -> None:
        """Read at once, and then with the collector's interval between the beginnings."""
        while not stop.is_set():
            began = self._clock.seconds()
            self.read()
            stop.wait(max(1.0, self.collector.interval_s - (self._clock.seconds() - began)))

    def read(self) -> None:
        """Read once. What fails is said once, and counted; the reading before it stays."""
        self._began_s = self._clock.seconds()
        try:
            self._keep(self.collector.collect())
            self._worked, self._complained = True, ""
        except NothingHere:
            self.kept = LastReading(b"", 0, self._clock.seconds(), present=False)
            self._worked = True
        except Exception as error:  # noqa: BLE001 - one collector never ends the others
            self._failed(str(error) if isinstance(error, NodeError) else f"{type(error).__name__}: {error}")
        self.readings += 1
        self.duration_s = self._clock.seconds() - self._began_s
        self._began_s = None

    @property
    def success(self) -> bool:
        """Whether the last reading worked. One that hangs has failed, although it has not ended."""
        began = self._began_s
        overdue = began is not None and self._clock.seconds() - began > self.collector.deadline_s
        return self._worked and not overdue

    @property
    def age_s(self) -> float | None:
        """How old what is served is; None before the first reading that worked."""
        return None if self.kept is None else self._clock.seconds() - self.kept.at_s

    def _keep(self, samples: Samples) -> None:
        count = len(samples)
        if count > MOST_SAMPLES:
            raise NodeError(f"it made {count} samples, and {MOST_SAMPLES} are the most that are exported")
        self.kept = LastReading(samples.text().encode(), count, self._clock.seconds(), present=True)

    def _failed(self, problem: str) -> None:
        self._worked = False
        self.failures += 1
        if problem != self._complained:
            err(f"collector {self.collector.name}: {problem[:500]}")
            self._complained = problem
