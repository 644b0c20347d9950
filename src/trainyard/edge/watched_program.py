"""Runs a program that has no terminal: its lines are told as they come, and it ends with this process and in time.

Whatever it prints, memory is bounded: this is the one place that reads the answers of programs.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, NamedTuple

from trainyard.edge.foreground import ending_in_order, not_started
from trainyard.errors import TrainyardError
from trainyard.stop_request import LOOK_EVERY_S, look, on_request

# eksctl waits for CloudFormation at this, and kubectl for the API server: both end within a moment of being asked to.
_ENDS_WITHIN_S = 10.0
MOST_BYTES = 256 * 2**20  # kubectl get of 10,000 nodes is a tenth of it
_LONGEST_LINE = 64 * 1024
_KEPT_LINES = 2000
_KEPT_LETTERS = 8192  # of each of them
_WAITING_LINES = 1000
# eksctl says something every minute while it waits for a stack.
_QUIET_S = 300.0


class ProgramResult(NamedTuple):
    """How a program ended, and what it printed."""

    status: int
    """Its exit status, below zero where a signal ended it."""
    content: bytes
    """What it printed to standard output; empty where that was told line by line."""
    lines: tuple[str, ...]
    """The last lines of standard error, and of standard output where that was told line by line."""
    timed_out: bool = False

    @property
    def output(self) -> str:
        """Return what it printed to standard output as text."""
        return self.content.decode("utf-8", "replace")

    @property
    def error(self) -> str:
        """Return what it printed to standard error, as far as it is kept."""
        return "\n".join(self.lines)


def run_watched(  # noqa: PLR0913  what it runs, and how long and how it is listened to
    arguments: Sequence[str],
    variables: Mapping[str, str],
    *,
    timeout_s: float,
    content: bytes | None = None,
    say: Callable[[str], None] | None = None,
    quiet_s: float = _QUIET_S,
    keep_open: Sequence[int] = (),
) -> ProgramResult:
    """Run a program to its end; ``content`` is its standard input, and it inherits the descriptors ``keep_open``.

    With ``say``, every line it prints is told when it comes, and that it prints none for ``quiet_s``.

    It is asked to end, and then killed, where it takes longer than ``timeout_s`` or where this process is told to end.
    Raises TrainyardError where it cannot be started, or prints more than any answer has.
    """
    readers: list[threading.Thread] = []
    try:
        with start_program(arguments, variables, content=content, keep_open=keep_open) as process:
            # A program that prints faster than it is listened to has to wait, and nothing piles up here.
            lines: queue.Queue[tuple[str, bytes] | None] = queue.Queue(_WAITING_LINES)
            over = threading.Event()
            streams: dict[str, IO[bytes]] = {"out": _open(process.stdout), "err": _open(process.stderr)}
            for name, stream in streams.items():
                readers.append(
                    threading.Thread(
                        target=_read,
                        args=(name, _parts(stream, whole=name == "out" and say is None), lines, over),
                        daemon=True,
                    )
                )
                readers[-1].start()
            told = _ProgramOutput(arguments[0], say)
            deadline_s = time.monotonic() + timeout_s
            try:
                timed_out = _gather(lines, len(streams), told, deadline_s, quiet_s) or _outlives(process, deadline_s)
            finally:
                over.set()
            if timed_out:
                end(process)
            return ProgramResult(process.wait(), bytes(told.content), tuple(told.said), timed_out)
    finally:
        # A thread that still holds a stream when Python ends makes Python abort. Its program has ended, and so does it.
        for reader in readers:
            if reader.ident is not None:
                reader.join(_ENDS_WITHIN_S)


@contextmanager
def start_program(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    *,
    content: bytes | None = None,
    keep_open: Sequence[int] = (),
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program in a session of its own, and see that nothing of it runs any more at the end of the block.

    Raises TrainyardError where it cannot be started.
    """
    with ending_in_order():
        try:
            process = subprocess.Popen(
                arguments,
                env=dict(variables),
                stdin=subprocess.DEVNULL if content is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C comes here first, and is passed on
                pass_fds=tuple(keep_open),
            )
        except OSError as error:
            raise not_started(arguments[0], error) from error
        try:
            if content is not None:
                threading.Thread(target=_write, args=(process, content), daemon=True).start()
            with on_request(lambda: _send(process, signal.SIGINT)):
                yield process
            look()
        except BaseException as error:
            end(process, signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM)
            raise
        finally:
            end(process)
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def end(process: subprocess.Popen[bytes], asking: signal.Signals = signal.SIGTERM) -> None:
    """Ask a program and what it has started to end; kill it where it does not. Does nothing where it has ended."""
    if process.poll() is not None:
        return
    _send(process, asking)
    try:
        process.wait(_ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        _send(process, signal.SIGKILL)
        process.wait()


class _ProgramOutput:
    """What a program has printed so far, as far as it is kept."""

    def __init__(self, program: str, say: Callable[[str], None] | None) -> None:
        self.said: list[str] = []
        self.content = bytearray()
        self._program, self._say = program, say

    def take(self, stream: str, line: bytes) -> None:
        if stream == "out" and self._say is None:
            self.content += line
            if len(self.content) > MOST_BYTES:
                raise _endless(self._program)
            return
        shown = line.decode("utf-8", "replace").rstrip()
        if shown:
            self.said.append(shown[:_KEPT_LETTERS])
            del self.said[:-_KEPT_LINES]
            if self._say is not None:
                self._say(shown)

    def nothing_for(self, seconds: float) -> None:
        if self._say is not None:
            self._say(f"has said nothing for {seconds / 60:.0f} minutes, and is still running")


def _endless(program: str) -> TrainyardError:
    return TrainyardError(
        f"{program} prints more than {MOST_BYTES // 2**20} MiB, and was ended",
        where=program,
        hint="look what this program is, and what it is called with; no answer is that long",
    )


class LastLines:
    """Reads a stream to its end in a thread, so that its program never waits for it, and keeps the last lines."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Begin to read."""
        self._lines: deque[bytes] = deque(maxlen=_KEPT_LINES)
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def text(self) -> list[str]:
        """Return the last lines, once the stream has ended."""
        self._thread.join(_ENDS_WITHIN_S)
        return [line[:_KEPT_LETTERS].decode("utf-8", "replace").rstrip() for line in self._lines]

    def _read(self, stream: IO[bytes]) -> None:
        self._lines.extend(bounded_lines(stream))


def bounded_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream. One that is very long comes in several parts."""
    with suppress(OSError, ValueError):  # closed, because nobody waits any more
        while line := stream.readline(_LONGEST_LINE):
            yield line


def _gather(
    lines: queue.Queue[tuple[str, bytes] | None],
    streams: int,
    told: _ProgramOutput,
    deadline_s: float,
    quiet_s: float,
) -> bool:
    """Take lines until all streams are at their end; return whether time was up before."""
    heard_s, silences = time.monotonic(), 0
    while streams:
        look()
        if (left_s := deadline_s - time.monotonic()) <= 0:
            return True
        try:
            line = lines.get(timeout=min(LOOK_EVERY_S, quiet_s, left_s))
        except queue.Empty:
            if time.monotonic() >= heard_s + quiet_s * (silences + 1):
                silences += 1
                told.nothing_for(time.monotonic() - heard_s)
            continue
        heard_s, silences = time.monotonic(), 0
        if line is None:
            streams -= 1
        else:
            told.take(*line)
    return False


def _outlives(process: subprocess.Popen[bytes], deadline_s: float) -> bool:
    """Wait for a program that has closed its streams; return whether time was up before."""
    while time.monotonic() < deadline_s:
        look()
        with suppress(subprocess.TimeoutExpired):
            process.wait(LOOK_EVERY_S)
            return False
    return True


def _read(
    name: str, parts: Iterator[bytes], lines: queue.Queue[tuple[str, bytes] | None], over: threading.Event
) -> None:
    for part in parts:
        _put(lines, (name, part), over)
        if over.is_set():
            break
    _put(lines, None, over)


def _parts(stream: IO[bytes], *, whole: bool) -> Iterator[bytes]:
    """Return the lines of a stream; where it is only kept whole, whatever has come at once."""
    return _blocks(stream) if whole else bounded_lines(stream)


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    with suppress(OSError, ValueError):  # as in bounded_lines
        while block := os.read(stream.fileno(), _LONGEST_LINE):
            yield block


def _put(lines: queue.Queue[tuple[str, bytes] | None], line: tuple[str, bytes] | None, over: threading.Event) -> None:
    """Put a line where it is waited for, unless nobody takes any more."""
    while not over.is_set():
        with suppress(queue.Full):
            lines.put(line, timeout=LOOK_EVERY_S)
            return


def _write(process: subprocess.Popen[bytes], content: bytes) -> None:
    with suppress(OSError):  # it ended without reading it all, and says why
        _open(process.stdin).write(content)
    with suppress(OSError):
        _open(process.stdin).close()


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # noqa: S101 - it was asked for
    return stream


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
