"""The wish to stop that a signal leaves, which long work looks at between its steps and in its waits.

A handler that raises is not enough: Python drops what is raised in finalisers and in callbacks of the import system,
and the work would go on as if nobody had asked. Where one raises all the same, what Python drops is noted here.
https://docs.python.org/3/library/signal.html#handlers-and-exceptions
https://docs.python.org/3/library/sys.html#sys.unraisablehook
"""

from __future__ import annotations

import signal as signals
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:  # every start would wait for it
    from concurrent.futures import Future

LOOK_EVERY_S = 0.2
"""How long a wait may go on without a look."""
T = TypeVar("T")
Item = TypeVar("Item")


class _Request:
    """The state of this process: signals come to a process, not to one of its parts."""

    signal: int | None = None
    raised = False
    deferred = 0
    early = False
    actions: tuple[Callable[[], object], ...] = ()


_request = _Request()
_of_thread = threading.local()


def note(signal: int) -> None:
    """Note that a signal asks to stop. What handlers of signals call; it never raises."""
    _request.signal = signal
    for action in _request.actions:
        action()


def interrupt(_signal: int, _frame: object) -> NoReturn:
    """End what is short. What handles SIGINT until long work begins, which ends at once where Python drops this."""
    _request.early = True
    raise KeyboardInterrupt


def interrupt_anew(_signal: int, _frame: object) -> None:
    """End what has not looked at a request: what handles a timer. Once, so that what cleans up is left alone."""
    if _request.signal is not None and not _request.raised:
        _request.raised = True
        raise KeyboardInterrupt


def note_what_is_dropped() -> None:
    """Let every look raise KeyboardInterrupt once Python has dropped it, or the end that another signal asked for."""
    former = sys.unraisablehook

    def note_or_tell(dropped: sys.UnraisableHookArgs) -> None:
        if not issubclass(dropped.exc_type, KeyboardInterrupt | SystemExit):
            former(dropped)
            return
        status = getattr(dropped.exc_value, "code", None)
        _request.raised = False
        note(status - 128 if isinstance(status, int) and status > 128 else signals.SIGINT)

    sys.unraisablehook = note_or_tell


def begin() -> None:
    """Begin long work anew. Raises KeyboardInterrupt where `interrupt` has raised it in vain."""
    forget()
    early, _request.early = _request.early, False
    if early:
        raise KeyboardInterrupt


def forget() -> int | None:
    """Return the signal that was noted, as if none had been from now on; None where there was none."""
    noted, _request.signal, _request.raised = _request.signal, None, False
    return noted


def is_noted() -> bool:
    """Return whether somebody has asked to stop: for threads, which then begin nothing more."""
    return _request.signal is not None


def _always() -> bool:
    return True


def look() -> None:
    """Raise KeyboardInterrupt where somebody has asked to stop: once, so that what cleans up may call and wait.

    Of other threads only in those that are there ``while_wanted``.
    """
    if threading.current_thread() is not threading.main_thread():
        if not getattr(_of_thread, "is_wanted", _always)():
            raise KeyboardInterrupt
        return
    if _request.signal is None or _request.raised or _request.deferred:
        return
    _request.raised = True
    raise KeyboardInterrupt


@contextmanager
def while_wanted(is_wanted: Callable[[], bool]) -> Iterator[None]:
    """Let looks in this thread raise KeyboardInterrupt once nobody wants what it reads; it must change nothing."""
    _of_thread.is_wanted = is_wanted
    try:
        yield
    finally:
        del _of_thread.is_wanted


@contextmanager
def deferred() -> Iterator[None]:
    """Let what cleans up come to its end where it is asked to stop. The next look after it raises."""
    _request.deferred += 1
    try:
        yield
    finally:
        _request.deferred -= 1


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


def results_of(action: Callable[[Item], T], items: Iterable[Item], at_once: int) -> Generator[T]:
    """Yield what an action returns for each item, in their order, from threads.

    Raises what it raises, and KeyboardInterrupt as ``look``; then nothing more is begun.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  every start would wait for it

    with ThreadPoolExecutor(at_once) as pool:
        futures = [pool.submit(action, item) for item in items]
        try:
            for future in futures:
                yield result_of(future)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def side_by_side(*questions: Callable[[], Any]) -> tuple[Any, ...]:
    """Return what each returns, all of them asked at once. Raises as ``results_of``, for the first that raises."""
    return tuple(results_of(lambda question: question(), questions, len(questions)))


@contextmanager
def on_request(action: Callable[[], object]) -> Iterator[None]:
    """Let the handler do something at once: wake up a program that is waited for. It must not raise, nor take locks."""
    _request.actions += (action,)
    try:
        yield
    finally:
        _request.actions = tuple(other for other in _request.actions if other is not action)
