"""Programs that have the terminal: what is typed is theirs, Ctrl-C included; and what a signal leaves to clean up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NoReturn

from trainyard.errors import TrainyardError

# Those that a terminal sends to everything in it, and those that only this process is sent.
_OF_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)
_OF_OTHERS = (signal.SIGTERM, signal.SIGHUP)


def run_in_foreground(
    arguments: Sequence[str], variables: Mapping[str, str], output: IO[str] | int | None = None
) -> int:
    """Run a program that has the terminal, and return its exit status, below zero where a signal ended it.

    Signals of the terminal are left to it, as the AWS CLI leaves them to session-manager-plugin. A signal that asks
    this process to end is passed on to it. Raises TrainyardError where it cannot be started.
    """
    started: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int) -> None:
        for process in started:
            process.send_signal(number)

    with _signals_left_to_it(pass_on):
        try:
            started.append(subprocess.Popen(arguments, env=dict(variables), stdout=output))
        except OSError as error:
            raise not_started(arguments[0], error) from error
        return started[0].wait()


def become(arguments: Sequence[str]) -> NoReturn:
    """Make this process that program, which has the terminal and its job control from then on.

    Raises TrainyardError where it cannot be started.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):  # there is none where the caller closed it
            stream.flush()
    try:
        os.execvp(arguments[0], list(arguments))  # noqa: S606  no shell: words stay words
    except OSError as error:
        raise not_started(arguments[0], error) from error


class NotStartedError(TrainyardError):
    """A program cannot be started."""

    is_missing = False
    """Whether there is none of that name."""


def not_started(program: str, error: OSError) -> NotStartedError:
    """Return the error of a program that cannot be started."""
    refusal = NotStartedError(f"{program} cannot be started: {error.strerror}", where=program, hint="install it anew")
    refusal.is_missing = isinstance(error, FileNotFoundError)
    return refusal


@contextmanager
def _signals_left_to_it(pass_on: Callable[[int], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    # A function, where SIG_IGN would be inherited: https://docs.python.org/3/library/signal.html#general-rules
    former = {number: signal.signal(number, lambda *_: None) for number in _OF_THE_TERMINAL}
    former |= {number: signal.signal(number, lambda number, _: pass_on(number)) for number in _OF_OTHERS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Let a signal that asks this process to end be followed only once the block has cleaned up."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals come to the main thread alone
        return
    # Who listens already does the same, or better.
    signals = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is signal.SIG_DFL]
    former = {number: signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
