"""What a collector is: something with a name that reads once, however often it is scraped."""

from __future__ import annotations

from typing import Protocol

from trainyard_node.samples import Samples


class NothingHere(Exception):  # noqa: N818 - it is no error
    """The node lacks what a collector reads: no failure, and no samples. The message says what is not there."""


class Collector(Protocol):
    """One subject, such as Slurm or EFA."""

    name: str
    interval_s: float
    """How often it reads."""
    deadline_s: float
    """By when a reading is given up, and counts as failed."""

    def collect(self) -> Samples:
        """Read once. Raises NothingHere where there is nothing to read, NodeError where reading failed."""
        ...
