"""Answers that are kept for a moment: several open pages, and panels that ask the same, cost Prometheus once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any

_MOST = 512


class Memory:
    """What was asked in the last seconds. Who asks for what is just being asked for waits for that answer."""

    def __init__(self, keep_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Start empty."""
        self._keep_s = keep_s
        self._clock = clock
        self._known: dict[Hashable, tuple[float, Future[Any]]] = {}
        self._looking = threading.Lock()

    def get(self, key: Hashable, ask: Callable[[], Any]) -> Any:
        """Return what is known, or ask. An error is raised for all who wait for it, and not kept."""
        with self._looking:
            self._forget()
            mine = key not in self._known
            if mine:
                self._known[key] = (self._clock() + self._keep_s, Future())
            future = self._known[key][1]
        if mine:
            self._ask(key, future, ask)
        return future.result()

    def _ask(self, key: Hashable, future: Future[Any], ask: Callable[[], Any]) -> None:
        try:
            future.set_result(ask())
        except BaseException as error:  # noqa: BLE001  it is raised where the result is looked at
            with self._looking:
                self._known.pop(key, None)
            future.set_exception(error)

    def _forget(self) -> None:
        now = self._clock()
        over = [key for key, (until, future) in self._known.items() if until < now and future.done()]
        done = [key for key, (_, future) in self._known.items() if future.done()]
        for key in over or done[: max(0, len(self._known) - _MOST)]:
            del self._known[key]
