"""A clock for what is waited for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trainyard.edge.aws.account import Clock

if TYPE_CHECKING:
    from collections.abc import Callable


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
