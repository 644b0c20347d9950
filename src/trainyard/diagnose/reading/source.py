"""The logs of one source, and what in it cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from trainyard.diagnose.line_time import time_in
from trainyard.diagnose.log_file import LogFile, UnreadableError, UnreadList
from trainyard.diagnose.reading.text import NO_TEXT, as_utf8, begun, binary_kind
from trainyard.edge.archive_limits import LIMITS, DamagedError, Limits
from trainyard.edge.archive_source import OpenedSource
from trainyard.edge.archive_tar import Member, Skipped

# A checkpoint has many gigabytes, and no log in it.
_MOST_BINARY_BYTES = 64 * 2**20


class LogSource:
    """Logs, one after another; each has to be read before the next one is asked for."""

    def __init__(self, opened: OpenedSource) -> None:
        """Take what was opened."""
        self._opened = opened
        self._written = time_in(reversed(opened.name.split("/")))
        self.unread = UnreadList()
        """Grows while files are read."""
        self.files = self._files()
        """To be read once."""
        self.binary_files = 0
        """Of the files that were read up to now."""

    @property
    def read_bytes(self) -> int:
        """How much of what lies on the disk was read up to now."""
        return self._opened.read_bytes

    @property
    def size_bytes(self) -> int | None:
        """How much lies on the disk; None where only the end will tell."""
        return self._opened.size_bytes

    @property
    def repeatable(self) -> bool:
        """Whether it can be opened and read a second time."""
        return self.size_bytes is not None or self._opened.is_folder

    def _files(self) -> Iterator[LogFile]:
        for member in self._opened.members():
            if isinstance(member, Skipped):
                self.unread.add(member.name, member.why)
            elif log := self._log(member):
                yield log

    def _log(self, member: Member) -> LogFile | None:
        head, blocks = begun(member.blocks)
        kind = binary_kind(head)
        if kind == NO_TEXT:  # a log of whole lines can still follow what a crash has written
            self.unread.add(member.name, "mostly binary; its beginning was searched all the same")
            self.binary_files += 1
            blocks = _beginning(blocks, _MOST_BINARY_BYTES)
        elif kind:
            self.unread.add(member.name, kind)
            return None
        return LogFile(member.name, _readable(as_utf8(head, blocks)), self._written or member.written)


@contextmanager
def log_files(name: str, limits: Limits = LIMITS) -> Iterator[LogSource]:
    """Give the logs in a file, a folder or an archive, or of standard input for ``-``.

    Raises InputError where it cannot be opened. What can be opened and not be read is listed by the source.
    """
    opened = OpenedSource(name, limits)
    try:
        yield LogSource(opened)
    finally:
        opened.close()


def _beginning(blocks: Iterator[bytes], most_bytes: int) -> Iterator[bytes]:
    size_bytes = 0
    for block in blocks:
        yield block
        size_bytes += len(block)
        if size_bytes >= most_bytes:
            return


def _readable(blocks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        yield from blocks
    except DamagedError as error:
        raise UnreadableError(str(error)) from error
