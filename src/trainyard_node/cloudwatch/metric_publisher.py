"""Reads one source every minute and writes what it says. A source that hangs or fails keeps no other waiting."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Protocol

from trainyard_node.clock import Clock
from trainyard_node.cloudwatch.metrics_file import MetricsFile
from trainyard_node.embedded_metrics import MetricBatch, lines
from trainyard_node.errors import NodeError
from trainyard_node.output import err

# Once a minute is CloudWatch's standard resolution; more often would be no more metrics, but more log to pay for.
INTERVAL_S = 60.0


class MetricSource(Protocol):
    """One subject, such as Slurm or EFA."""

    name: str

    def batches(self) -> Iterable[MetricBatch]:
        """Read once. Raises NodeError where that fails."""
        ...


class MetricPublisher:
    """One source, and where its metrics go."""

    def __init__(self, source: MetricSource, file: MetricsFile, clock: Clock) -> None:
        """Begin without a reading."""
        self._source, self._file, self._clock = source, file, clock
        self._complained = ""

    def keep_publishing(self, stop: threading.Event) -> None:
        """Publish at once, and then in the middle of every minute, so that each minute has one value."""
        while not stop.is_set():
            self.publish()
            stop.wait(seconds_to_next(self._clock.now().timestamp()))

    def publish(self) -> bool:
        """Publish once and return whether that worked. What fails is said once; its minute stays empty."""
        try:
            now = self._clock.now()
            new_lines = [line for batch in self._source.batches() for line in lines(batch, now)]
            if new_lines:
                self._file.add(new_lines)
        except Exception as error:  # noqa: BLE001 - the next minute is another one
            self._complain(str(error) if isinstance(error, NodeError) else f"{type(error).__name__}: {error}")
            return False
        self._complained = ""
        return True

    def _complain(self, problem: str) -> None:
        if problem != self._complained:
            err(f"metrics of {self._source.name} for CloudWatch: {problem[:500]}")
            self._complained = problem


def seconds_to_next(at_s: float) -> float:
    """Return the time to the middle of a minute; to the one after it where this one is as good as there."""
    left_s = (INTERVAL_S / 2 - at_s) % INTERVAL_S
    return left_s if left_s >= 1 else left_s + INTERVAL_S
