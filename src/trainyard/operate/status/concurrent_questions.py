"""Questions that are asked at once, of which each may be refused without the others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from trainyard.edge.aws.refusals import translated
from trainyard.errors import TrainyardError

Answer = TypeVar("Answer")

_AT_ONCE = 8  # calls; botocore keeps ten connections


@dataclass
class Parts:
    """The parts of what is asked about one cluster."""

    region: str
    unknown: dict[str, str] = field(default_factory=dict)
    """Why nobody knows a part, by its name."""
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_AT_ONCE))

    def ask(self, part: str, question: Callable[[], Answer]) -> Callable[[], Answer | None]:
        """Begin to ask, and return a function that waits for the answer: None where nobody gives any."""
        asked = self._pool.submit(self._translated, question)
        return lambda: self._answer(part, asked)

    def close(self) -> None:
        """Wait for no more answers."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _translated(self, question: Callable[[], Answer]) -> Answer:
        with translated(self.region):
            return question()

    def _answer(self, part: str, asked: Future[Answer]) -> Answer | None:
        try:
            return asked.result()
        except TrainyardError as error:
            self.unknown.setdefault(part, error.problem)
            return None
