"""The kernel's log since boot, as far as its ring buffer still holds it.

https://www.kernel.org/doc/Documentation/ABI/testing/dev-kmsg. Where kernel.dmesg_restrict is set, reading it needs the
capability CAP_SYSLOG: https://www.kernel.org/doc/Documentation/admin-guide/sysctl/kernel.rst
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainyard_node.clock import Clock
from trainyard_node.places import Places

PATH = "/dev/kmsg"
# A record is shorter than 8 KiB, and one that does not fit is refused.
_READ_BYTES = 16_384
_LINE_BYTES = 1_000
# Nobody can be kept reading by a kernel that writes without pause.
_READS, _READ_S = 500_000, 3.0
# At the end; and where records were overwritten before they were read, after which reading goes on.
_NOTHING = {errno.EAGAIN: b"", errno.EPIPE: b"\n"}
_RECORD = re.compile(rb"([0-9]{1,10}),([0-9]{1,20}),([0-9]{1,20})(?:,[^;]*)?;(.*)", re.DOTALL)


class Line(NamedTuple):
    """A message of the kernel."""

    seconds: float
    """Since boot."""
    text: str


class KernelLog(NamedTuple):
    """What was looked for, and how much of the log that was looked for in."""

    lines: tuple[Line, ...]
    gone: int
    """How many of the first records since boot have been overwritten."""
    is_cut: bool
    """Whether reading ended before the log did."""


def kernel_log(places: Places, clock: Clock, wanted_text: bytes) -> KernelLog:
    """Return the messages that hold some bytes. Raises OSError where the log cannot be read."""
    reading = _KernelLogReader(places, clock)
    lines, first = [], None
    for sequence, microseconds, text in reading.records():
        first = sequence if first is None else first
        if wanted_text in text:
            lines.append(Line(microseconds / 1e6, text[:_LINE_BYTES].decode(errors="replace")))
    return KernelLog(tuple(lines), first or 0, reading.is_cut)


class _KernelLogReader:
    def __init__(self, places: Places, clock: Clock) -> None:
        self._file, self._clock = places.at(PATH), clock
        self._end = clock.seconds() + _READ_S
        self.is_cut = False

    def records(self) -> Iterator[tuple[int, int, bytes]]:
        """Yield number, time and text. What programs wrote has another facility than 0, and its text is left out."""
        for line in self._lines():
            match = _RECORD.fullmatch(line)
            if match:
                yield int(match[2]), int(match[3]), match[4] if int(match[1]) >> 3 == 0 else b""

    def _lines(self) -> Iterator[bytes]:
        rest = b""
        for part in self._parts():
            *lines, rest = (rest + part).split(b"\n")
            yield from lines
            rest = rest[:_READ_BYTES]
        yield rest

    def _parts(self) -> Iterator[bytes]:
        # Without O_NONBLOCK, a read at the end waits for the next message.
        file = os.open(self._file, os.O_RDONLY | os.O_NONBLOCK)
        try:
            for _ in range(_READS):
                part = self._part(file)
                if not part or self._clock.seconds() > self._end:
                    self.is_cut = bool(part)
                    return
                yield part
            self.is_cut = True
        finally:
            os.close(file)

    def _part(self, file: int) -> bytes:
        try:
            return os.read(file, _READ_BYTES)
        except OSError as error:
            if error.errno not in _NOTHING:
                raise
            return _NOTHING[error.errno]
