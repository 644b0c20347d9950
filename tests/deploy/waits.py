"""A clock for what is waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from trainyard.edge.aws.account import Clock


@dataclass
class Waits(Clock):
    """A clock on which something happens after so many pauses."""

    after: int = 0
    then: Callable[[], object] = lambda: None
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        if len(self.pauses) == self.after:
            self.then()
