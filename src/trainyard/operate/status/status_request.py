"""The questions that are asked for one status: many at once, of which each may be refused without the others."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.errors import aws_errors
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import TrainyardError
from trainyard.stop_request import is_noted, result_of, while_wanted

Answer = TypeVar("Answer")

_AT_ONCE = 8  # calls; botocore keeps ten connections


@dataclass
class StatusRequest:
    """A request for the status of one cluster."""

    name: str
    account: Account
    kubectl_of: KubectlOf
    unknown: dict[str, str] = field(default_factory=dict)
    """Why a part is not known, by its name."""
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(_AT_ONCE))
    _is_closed: bool = False

    def ask(self, part: str, question: Callable[[], Answer]) -> Callable[[], Answer | None]:
        """Begin to ask, and return a function that waits for the answer: None where there is none."""
        future = self._pool.submit(self._translated, question)
        return lambda: self._answer(part, future)

    def forget_unknown_but(self, *parts: str) -> None:
        """Forget why parts are not known, but for some: who asks for an answer once more gets to know again."""
        self.unknown = {part: why for part, why in self.unknown.items() if part in parts}

    def close(self) -> None:
        """Wait for no more answers; what is being asked asks nothing more."""
        self._is_closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _translated(self, question: Callable[[], Answer]) -> Answer:
        with while_wanted(lambda: not self._is_closed and not is_noted()), aws_errors(self.account.region):
            return question()

    def _answer(self, part: str, future: Future[Answer]) -> Answer | None:
        try:
            return result_of(future)
        except TrainyardError as error:
            self.unknown.setdefault(part, error.problem)
            return None
