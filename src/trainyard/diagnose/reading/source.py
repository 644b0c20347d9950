"""The logs of one source, and what in it cannot be read."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from trainyard.diagnose.line_time import time_in
from trainyard.diagnose.log_file import LogFile, UnreadableError, UnreadList
from trainyard.edge.archive_limits import LIMITS, ArchiveLimits, DamagedError
from trainyard.edge.archive_source import OpenedSource
from trainyard.edge.archive_tar import Member, SkippedMember

# A checkpoint has many gigabytes, and no log in it.
_MOST_BINARY_BYTES = 64 * 2**20
_HEAD_BYTES = 8192
# https://www.unicode.org/faq/utf_bom.html#bom4; the longer ones first, as UTF-32's begins with UTF-16's.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}  # fmt: skip
# What a log never begins with, though most of its bytes could be a text's.
_BINARIES = {
    b"\x7fELF": "a program or a core dump", b"LPKSHHRH": "a binary journal: `journalctl --file` prints it",
    b"SQLite format 3\0": "a database", b"\x89PNG": "a picture", b"%PDF": "a PDF",
}  # fmt: skip
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b\b") + b"\x7f"
_MOST_CONTROLS = 0.1
NO_TEXT = "no text"


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
            if isinstance(member, SkippedMember):
                self.unread.add(member.name, member.why)
            elif log := self._log(member):
                yield log

    def _log(self, member: Member) -> LogFile | None:
        head, blocks = peek(member.blocks)
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
def log_files(name: str, limits: ArchiveLimits = LIMITS) -> Iterator[LogSource]:
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


def binary_kind(head: bytes) -> str | None:
    """Return what something is that is no text, by how it begins; None where it is text.

    Zeros alone do not count: a node that lost its power leaves them in its system log.
    """
    if head.startswith(tuple(_BINARIES)):
        return next(kind for magic, kind in _BINARIES.items() if head.startswith(magic))
    if _encoding(head):
        return None
    visible = head.replace(b"\0", b"")
    controls = len(visible) - len(visible.translate(None, _CONTROLS))
    return NO_TEXT if controls > _MOST_CONTROLS * len(visible) else None


def peek(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the beginning of something, and all of it. What blocks raise is raised behind what comes before."""
    head: list[bytes] = []
    try:
        while sum(map(len, head)) < _HEAD_BYTES and (block := next(blocks, b"")):
            head.append(block)
    except DamagedError as error:
        return b"".join(head), chain(head, _raising(error))
    return b"".join(head)[:_HEAD_BYTES], chain(head, blocks)


def _raising(error: DamagedError) -> Iterator[bytes]:
    yield b""
    raise error


def as_utf8(head: bytes, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield text as UTF-8, without zeros; head: how it begins."""
    encoding = _encoding(head)
    if not encoding:
        yield from (block.replace(b"\0", b"") if b"\0" in block else block for block in blocks)
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for block in blocks:
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")


def _encoding(head: bytes) -> str | None:
    if head.startswith(tuple(_MARKS)):
        return next(encoding for mark, encoding in _MARKS.items() if head.startswith(mark))
    if b"\0" not in head or len(head) < 32:
        return None
    # Without a mark, Latin letters still have a zero in every second byte.
    even, odd = head[0::2].count(0) / len(head[0::2]), head[1::2].count(0) / len(head[1::2])
    if odd > 0.6 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 and odd < 0.1 else None
