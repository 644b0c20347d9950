"""Ctrl-C during long work: the first one stops it in good order, the second asks for patience, the third ends it."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from trainyard import stop_request
from trainyard.cli.output import print_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE = b"still stopping; Ctrl-C once more ends at once, and leaves the lock to the next call\n"
_AT_MOST_S = 1.0  # a call that does not come back would be waited for
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible(afterwards: str) -> Iterator[None]:
    """Let the work inside be interrupted; ``afterwards`` says what has become of it and what to do next."""
    presses = 0

    def pressed(number: int, _frame: object) -> None:
        nonlocal presses
        presses += 1
        if presses > 2:
            os._exit(128 + number)  # what shells say of a program that a signal ended
        if presses == 2:
            os.write(2, _PATIENCE)  # past the stream, which this may have interrupted
        stop_request.note(number)

    stop_request.begin()
    # nohup ignores SIGHUP; a shell's & ignores SIGINT, and whoever sends it all the same means it.
    listened = [number for number in _SIGNALS if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN]
    former = {number: signal.signal(number, pressed) for number in listened}
    try:
        yield
        if too_late := stop_request.forget():
            # What has come of it is still told; a loop of a shell ends all the same.
            click.get_current_context().call_on_close(lambda: _end(too_late))
    except KeyboardInterrupt:
        ended_by = stop_request.forget() or signal.SIGINT
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is over in a moment
        former.pop(signal.SIGINT, None)
        print_text(f"interrupted: {afterwards}", err=True)
        sys.exit(128 + ended_by)
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


@contextmanager
def endless() -> Iterator[None]:
    """Let what only looks, until somebody has seen enough, be ended by KeyboardInterrupt: between its steps.

    Where a step does not end within a second, in the middle of it.
    """

    def pressed(number: int, _frame: object) -> None:
        stop_request.note(number)
        signal.setitimer(signal.ITIMER_REAL, _AT_MOST_S, _AT_MOST_S)

    stop_request.begin()
    former = {
        signal.SIGALRM: signal.signal(signal.SIGALRM, stop_request.interrupt_anew),
        signal.SIGINT: signal.signal(signal.SIGINT, pressed),
    }
    try:
        yield
        if stop_request.forget():
            raise KeyboardInterrupt
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        stop_request.forget()
        for number, handler in former.items():
            signal.signal(number, handler)


def _end(number: int) -> NoReturn:
    print_text("interrupted: it was at its end already", err=True)
    sys.exit(128 + number)


@contextmanager
def interruptible_question() -> Iterator[None]:
    """Let a question be left at once: nothing is under way while somebody is asked."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
