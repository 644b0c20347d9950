"""The wish to stop that a signal leaves, which long work looks at between its steps and in its waits.

A handler that raises is not enough: Python drops what is raised in finalisers and in callbacks of the import system,
and the work would go on as if nobody had asked.
https://docs.python.org/3/library/signal.html#handlers-and-exceptions
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

LOOK_EVERY_S = 0.2
"""How long a wait may go on without a look."""
T = TypeVar("T")


class _Request:
    """The state of this process: signals come to a process, not to one of its parts."""

    signal: int | None = None
    raised = False
    actions: tuple[Callable[[], object], ...] = ()


_request = _Request()


def note(signal: int) -> None:
    """Note that a signal asks to stop. What handlers of signals call; it never raises."""
    _request.signal = signal
    for action in _request.actions:
        action()


def forget() -> int | None:
    """Begin anew, and return the signal that was noted; None where there was none."""
    noted, _request.signal, _request.raised = _request.signal, None, False
    return noted


def look() -> None:
    """Raise KeyboardInterrupt where somebody has asked to stop: once, so that what cleans up may call and wait.

    Only in the main thread; others end when nobody waits for them any more.
    """
    if _request.signal is None or _request.raised or threading.current_thread() is not threading.main_thread():
        return
    _request.raised = True
    raise KeyboardInterrupt


def pause(seconds: float) -> None:
    """Wait. Raises KeyboardInterrupt as ``look``, soon after the signal."""
    end_s = time.monotonic() + seconds
    look()
    while (left_s := end_s - time.monotonic()) > 0:
        time.sleep(min(left_s, LOOK_EVERY_S))
        look()


def result_of(future: Future[T]) -> T:
    """Return what a future returns or raises. Raises KeyboardInterrupt as ``look`` while it waits."""
    while not future.done():
        look()
        try:
            return future.result(LOOK_EVERY_S)
        except TimeoutError:
            continue  # its own, or that of the wait, which the loop tells apart
    return future.result()


@contextmanager
def on_request(action: Callable[[], object]) -> Iterator[None]:
    """Let the handler do something at once: wake up a program that is waited for. It must not raise, nor take locks."""
    _request.actions += (action,)
    try:
        yield
    finally:
        _request.actions = tuple(other for other in _request.actions if other is not action)
