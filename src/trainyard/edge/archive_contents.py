"""The files in whatever there is: a single one, packed or not, or an archive, and what is packed within it.

What something is, is told by its first bytes and never by its name. Nothing is written anywhere.
"""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from queue import Full, Queue
from typing import NamedTuple

from trainyard.edge.archive_compression import OTHERS, compression_of, unpack_streams
from trainyard.edge.archive_limits import Budget, DamagedError
from trainyard.edge.archive_stream import ByteStream
from trainyard.edge.archive_tar import Member, SkippedMember, is_tar, tar_members
from trainyard.edge.archive_zip import MAGIC, zip_members

_HEAD_BYTES = 512
# So many pieces of 1 MiB wait at most.
_PIECES = 6
_LOOK_EVERY_S = 0.1


class _Place(NamedTuple):
    name: str
    written: dt.datetime | None
    depth: int
    """How often it is packed in something else."""
    outermost: bool
    """Whether it is what the user named: paths in it do not repeat that."""


def contents(
    name: str, stream: ByteStream, budget: Budget, written: dt.datetime | None = None, *, outermost: bool = True
) -> Iterator[Member | SkippedMember]:
    """Yield the files of something, by their paths in it; those of an archive within it have that one's path before.

    outermost: whether it is a file that the user named. Reading blocks may raise DamagedError.
    """
    try:
        yield from _contents(_Place(name, written, 0, outermost), stream, budget)
    except DamagedError as error:
        yield SkippedMember(name, str(error))


def _contents(place: _Place, stream: ByteStream, budget: Budget) -> Iterator[Member | SkippedMember]:
    head = stream.peek(_HEAD_BYTES)
    within = place._replace(depth=place.depth + 1)
    if place.depth > budget.limits.depth:
        yield SkippedMember(place.name, f"packed more than {budget.limits.depth} times within each other")
    elif magic := compression_of(head):
        blocks = unpack_streams(stream, magic, budget)
        # zlib works on another processor meanwhile: only for what is large, which is the outermost.
        inner = ByteStream(read_ahead(blocks) if place.depth == 0 and place.outermost else blocks)
        yield from _contents(within, inner, budget)
    elif head.startswith(MAGIC) or is_tar(head):
        members = zip_members(stream, budget) if head.startswith(MAGIC) else tar_members(stream)
        yield from _members(members, within, budget)
    else:
        yield _single(place, head, stream, budget)


def _single(place: _Place, head: bytes, stream: ByteStream, budget: Budget) -> Member | SkippedMember:
    budget.member()
    if head.startswith(tuple(OTHERS)):
        other = next(kind for start, kind in OTHERS.items() if head.startswith(start))
        return SkippedMember(place.name, f"packed by {other}: unpack it first")
    return Member(place.name, stream.rest(), place.written)


def _members(
    members: Iterator[Member | SkippedMember], archive: _Place, budget: Budget
) -> Iterator[Member | SkippedMember]:
    folder = "" if archive.outermost else f"{archive.name}/"
    for member in members:
        if isinstance(member, SkippedMember):
            budget.member()
            yield SkippedMember(f"{folder}{member.name}" if member.name else archive.name, member.why)
            continue
        place = _Place(folder + member.name, member.written, archive.depth, outermost=False)
        try:
            yield from _contents(place, ByteStream(member.blocks), budget)
        except DamagedError as error:
            yield SkippedMember(place.name, str(error))
            if budget.exhausted:
                return


class _End:
    """The last thing in the queue: that there is no more, and what went wrong."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def read_ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same blocks, made by a thread that ends with this generator. What they raise is raised here."""
    queue: Queue[bytes | _End] = Queue(_PIECES)
    given_up = threading.Event()
    thread = threading.Thread(target=_fill, args=(queue, blocks, given_up), name="unpacking", daemon=True)
    thread.start()
    try:
        while not isinstance(block := queue.get(), _End):
            yield block
        if block.error:
            raise block.error
    finally:
        given_up.set()
        thread.join(_LOOK_EVERY_S * 5)  # it may wait for standard input


def _fill(queue: Queue[bytes | _End], blocks: Iterator[bytes], given_up: threading.Event) -> None:
    end = _End(None)
    try:
        for block in blocks:
            if not _put(queue, block, given_up):
                return
    except BaseException as error:  # noqa: BLE001  raised where the blocks are used
        end = _End(error)
    _put(queue, end, given_up)


def _put(queue: Queue[bytes | _End], block: bytes | _End, given_up: threading.Event) -> bool:
    while not given_up.is_set():
        try:
            queue.put(block, timeout=_LOOK_EVERY_S)
        except Full:
            continue
        return True
    return False
