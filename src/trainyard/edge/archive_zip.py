"""The files of a zip archive, one after another, without seeking, so that it may also come from standard input.

Each file has a header of its own before its data, which is all that is read: https://pkware.cachefly.net/webdocs/APPNOTE/APPNOTE-6.3.9.TXT
"""

from __future__ import annotations

import datetime as dt
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.edge.archive_compression import DeflateDecoder, unpacked_once
from trainyard.edge.archive_limits import Budget, DamagedError
from trainyard.edge.archive_stream import ByteStream
from trainyard.edge.archive_tar import Member, SkippedMember

MAGIC = b"PK\x03\x04"
# 4.3.7: signature, version, flags, method, time, date, crc, two sizes, and the lengths of what follows.
_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZE_BEHIND, _UTF8 = 0x1, 0x8, 0x800  # 4.4.4
_STORED, _DEFLATED = 0, 8  # 4.4.5
_ZIP64, _IN_ZIP64 = 1, 0xFFFFFFFF  # 4.5.3


class _Header(NamedTuple):
    name: str
    flags: int
    method: int
    crc: int
    packed_bytes: int | None
    """None where it stands behind the data."""
    written: dt.datetime | None


def zip_members(stream: ByteStream, budget: Budget) -> Iterator[Member | SkippedMember]:
    """Yield the files of an archive. Raises DamagedError where it cannot be read on."""
    while stream.peek(4) == MAGIC:
        header = _header(stream)
        if header.packed_bytes is None:
            yield from _of_unknown_size(stream, header, budget)
            continue
        packed = stream.pieces(header.packed_bytes)
        why = _why_not(header)
        if why:
            yield SkippedMember(header.name, why)
        elif not header.name.endswith("/"):
            yield Member(header.name, _content(packed, header, budget), header.written)
        for _ in packed:
            pass


def _why_not(header: _Header) -> str:
    if header.flags & _ENCRYPTED:
        return "encrypted"
    return "" if header.method in {_STORED, _DEFLATED} else f"packed by zip's method {header.method}"


def _content(packed: Iterator[bytes], header: _Header, budget: Budget) -> Iterator[bytes]:
    crc = 0
    blocks = packed if header.method == _STORED else unpacked_once(ByteStream(packed), DeflateDecoder(), budget)
    for block in blocks:
        crc = zlib.crc32(block, crc)
        yield block
    if crc != header.crc:
        raise DamagedError("it is damaged (its checksum is wrong)")


def _of_unknown_size(stream: ByteStream, header: _Header, budget: Budget) -> Iterator[Member | SkippedMember]:
    if header.flags & _ENCRYPTED or header.method != _DEFLATED:
        yield SkippedMember(header.name, "zip says neither how large it is nor where it ends")
        raise DamagedError("its parts behind this file cannot be found")
    content = unpacked_once(stream, DeflateDecoder(), budget)
    yield Member(header.name, content, header.written)
    for _ in content:
        pass
    _skip_descriptor(stream)


def _skip_descriptor(stream: ByteStream) -> None:
    """Skip checksum and sizes, of which 4.3.9 leaves open whether they have a signature and how long they are."""
    for length in (16, 24, 12, 20):
        if stream.peek(length + 2)[length:] == b"PK":
            stream.take(length)
            return
    raise DamagedError("its next file cannot be found")


def _header(stream: ByteStream) -> _Header:
    fixed = stream.take(_HEADER.size)
    if len(fixed) < _HEADER.size:
        raise DamagedError("it ends too early")
    _, _, flags, method, time, date, crc, packed, _, name_bytes, extra_bytes = _HEADER.unpack(fixed)
    name = stream.take(name_bytes).decode("utf-8" if flags & _UTF8 else "cp437", "replace")
    extra = stream.take(extra_bytes)
    size = _size(extra) if packed == _IN_ZIP64 else packed
    return _Header(name, flags, method, crc, None if flags & _SIZE_BEHIND else size, _time(date, time))


def _size(extra: bytes) -> int:
    """Return the packed size of a file of more than 4 GiB, which stands behind the unpacked one."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        if kind == _ZIP64 and length >= 16 and place + 20 <= len(extra):
            return int(struct.unpack_from("<Q", extra, place + 12)[0])
        place += 4 + length
    raise DamagedError("it does not say how large a file is")


def _time(date: int, time: int) -> dt.datetime | None:
    """Return what DOS calls a date and a time, in no zone."""
    day = (1980 + (date >> 9), date >> 5 & 15, date & 31)
    try:
        return dt.datetime(*day, time >> 11, time >> 5 & 63, (time & 31) * 2, tzinfo=dt.UTC)
    except ValueError:
        return None
