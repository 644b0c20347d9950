"""The files of a tar archive, one after another, without seeking. Headers are the standard library's to read."""

from __future__ import annotations

import datetime as dt
import re
import tarfile
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.edge.archive_limits import DamagedError
from trainyard.edge.archive_stream import ByteStream

# https://www.gnu.org/software/tar/manual/html_node/Standard.html
_BLOCK_BYTES = 512
_ZEROS = bytes(_BLOCK_BYTES)
# Of what stands in headers: a path has at most 4096 bytes on Linux, and attributes may stand beside it.
_MOST_EXTENDED_BYTES = 2**20
_MOST_NAME_CHARACTERS = 1024
# Such a header is followed by no data, whatever size it states, as the standard library has it.
_NO_DATA = {
    tarfile.LNKTYPE: "a link", tarfile.SYMTYPE: "a link", tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device",
    tarfile.FIFOTYPE: "a pipe", tarfile.DIRTYPE: "",
}  # fmt: skip
# What each header has at byte 148, and a log hardly ever: most files of an archive are told from archives by it.
_CHECKSUM = re.compile(rb"[0-7 ]{5,7}[0-7][\0 ]")
_RECORD = re.compile(rb"(\d{1,7}) ([^=\n]{1,200})=")


class Member(NamedTuple):
    """A file in an archive. Its blocks have to be read before the next member is asked for, or not at all."""

    name: str
    blocks: Iterator[bytes]
    written: dt.datetime | None = None


class SkippedMember(NamedTuple):
    """Something in an archive that is not read."""

    name: str
    why: str


class _ExtendedHeader(NamedTuple):
    """What stands in headers before the one that it is about."""

    name: str | None = None
    size: int | None = None
    sparse: bool = False


def is_tar(head: bytes) -> bool:
    """Return whether the first block of something is a header of tar."""
    return len(head) >= _BLOCK_BYTES and bool(_CHECKSUM.match(head, 148)) and _header(head[:_BLOCK_BYTES]) is not None


def tar_members(stream: ByteStream) -> Iterator[Member | SkippedMember]:
    """Yield the files of an archive. Raises DamagedError where it ends too early; a damaged part is skipped."""
    extended, damaged = _ExtendedHeader(), False
    while block := stream.take(_BLOCK_BYTES):
        if len(block) < _BLOCK_BYTES:
            raise DamagedError("it ends too early")
        if block == _ZEROS:  # the end, or the end of one of several that were put together
            continue
        header = _header(block)
        if header is None:
            if not damaged:
                yield SkippedMember("", "a part of it is damaged")
            damaged = True
            continue
        damaged = False
        if header.type in {tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.SOLARIS_XHDTYPE}:
            extended = _extended(header, b"".join(_content(stream, header, _MOST_EXTENDED_BYTES)), extended)
            continue
        yield from _member(stream, header, block, extended)
        if header.type not in {tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK}:
            extended = _ExtendedHeader()


def _member(
    stream: ByteStream, header: tarfile.TarInfo, block: bytes, extended: _ExtendedHeader
) -> Iterator[Member | SkippedMember]:
    name = (extended.name or header.name)[:_MOST_NAME_CHARACTERS].encode("utf-8", "replace").decode()
    header.size = header.size if extended.size is None else extended.size
    if header.type in _NO_DATA:
        if why := _NO_DATA[header.type]:
            yield SkippedMember(name, why)
        return
    if header.type == tarfile.GNUTYPE_SPARSE:
        _skip_map(stream, block)
    content = _content(stream, header)
    if header.type == tarfile.GNUTYPE_SPARSE or extended.sparse:
        yield SkippedMember(name, "a file with holes")
    elif header.type in tarfile.REGULAR_TYPES and not name.endswith("/"):
        yield Member(name, content, _time(header.mtime))
    elif header.type not in {tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK, *tarfile.REGULAR_TYPES}:
        yield SkippedMember(name, "of a type that tar does not know")
    for _ in content:
        pass


def _content(stream: ByteStream, header: tarfile.TarInfo, most_bytes: int | None = None) -> Iterator[bytes]:
    if header.size < 0 or (most_bytes is not None and header.size > most_bytes):
        raise DamagedError("it states a size that cannot be right")
    yield from stream.pieces(header.size)
    stream.take(-header.size % _BLOCK_BYTES)


def _skip_map(stream: ByteStream, block: bytes) -> None:
    """Skip the blocks of a map of holes."""
    # https://www.gnu.org/software/tar/manual/html_node/Sparse-Formats.html
    more = block[482:483] == b"\1"
    while more:
        more = stream.take(_BLOCK_BYTES)[504:505] == b"\1"


def _header(block: bytes) -> tarfile.TarInfo | None:
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except (tarfile.HeaderError, ValueError):
        return None


def _extended(header: tarfile.TarInfo, content: bytes, before: _ExtendedHeader) -> _ExtendedHeader:
    if header.type == tarfile.GNUTYPE_LONGNAME:
        return before._replace(name=content.rstrip(b"\0").decode("utf-8", "replace"))
    records = dict(_records(content))
    size = records.get(b"size", b"")
    return _ExtendedHeader(
        records[b"path"].decode("utf-8", "replace") if b"path" in records else before.name,
        int(size) if size.isdigit() and len(size) < 20 else before.size,
        any(key.startswith(b"GNU.sparse.") for key in records),
    )


def _records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield keys and values of an extended header."""
    # https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_03
    place = 0
    while match := _RECORD.match(content, place):
        end = place + int(match[1])
        yield match[2], content[match.end() : end - 1]
        place = max(end, match.end())


def _time(seconds: float) -> dt.datetime | None:
    try:
        return dt.datetime.fromtimestamp(seconds, dt.UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None
