"""What gzip, bzip2 and xz have packed, unpacked in pieces of bounded size."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Callable, Iterator
from typing import Any, Protocol, cast

from isal import igzip_lib, isal_zlib

from trainyard.edge.archive_limits import Budget, DamagedError
from trainyard.edge.archive_stream import ByteStream

# What a packed stream begins with: https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1,
# https://tukaani.org/xz/xz-file-format.txt (2.1.1.1), and bzip2's `BZh`, a level, and the digits of pi.
_GZIP, _BZIP2, _XZ = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00"
# What is packed otherwise, and is named when it is left unread. https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
OTHERS = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar", b"\x04\x22\x4d\x18": "lz4"}
# So large that unpacking works for milliseconds, in which another thread does too.
_PIECE_BYTES = 2**20
_PACKED_PIECE_BYTES = 2**18
# A tenth slower than without steps, and what stands before a damage is lost up to so much of it, packed.
_STEP_BYTES = 2**12
_DEFLATE_ERROR = cast("type[Exception]", igzip_lib.IsalError)  # its stub has it as an exception, not as a class
_GZIP_HEADER_BYTES, _GZIP_TRAILER_BYTES = 10, 8
_HEADER_CHECKSUM, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
# xz may ask for as much as its header says: `xz -9` takes 65 MiB to unpack, https://linux.die.net/man/1/xz
_XZ_MEMORY_BYTES = 80 * 2**20


class Decoder(Protocol):
    """What zlib, bz2 and lzma have in common, by the words of the latter two."""

    def unpack(self, packed: bytes) -> bytes:
        """Return a piece of bounded size, of what is there and of what was given before."""

    def salvage(self) -> bytes:
        """Return what stands before the place where unpacking failed, as far as it can be had."""

    @property
    def wants_more(self) -> bool:
        """Whether nothing is left of what was given."""

    @property
    def ended(self) -> bool:
        """Whether the packed stream has come to its end."""

    @property
    def behind(self) -> bytes:
        """What was given and lies behind the end."""


class DeflateDecoder:
    """What gzip and zip have inside, without a header. It is unpacked in steps: of one that fails nothing is had."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._unpacking = isal_zlib.decompressobj(-15)
        self._packed, self._place = b"", 0
        self._unpacked: list[bytes] = []

    def unpack(self, packed: bytes) -> bytes:
        """Return a piece."""
        self._packed, self._place = self._packed[self._place :] + packed, 0
        self._unpacked = []
        size = 0
        while size < _PIECE_BYTES and not self.ended:
            step = self._packed[self._place : self._place + _STEP_BYTES]
            piece = self._unpacking.decompress(step, _PIECE_BYTES - size)
            self._place += len(step) - len(self._unpacking.unconsumed_tail)
            self._unpacked.append(piece)
            size += len(piece)
            if self.wants_more:
                break
        return b"".join(self._unpacked)

    def salvage(self) -> bytes:
        """Return what stands before the step that failed."""
        return b"".join(self._unpacked)

    @property
    def wants_more(self) -> bool:
        """Whether nothing is left of what was given."""
        return self._place == len(self._packed)

    @property
    def ended(self) -> bool:
        """Whether it has come to its end."""
        return bool(self._unpacking.eof)

    @property
    def behind(self) -> bytes:
        """What lies behind the end."""
        return bytes(self._unpacking.unused_data) + self._packed[self._place :]


class _Other:
    def __init__(self, unpacking: Any) -> None:
        self._unpacking = unpacking

    def unpack(self, packed: bytes) -> bytes:
        piece: bytes = self._unpacking.decompress(packed, _PIECE_BYTES)
        return piece

    def salvage(self) -> bytes:
        return b""  # they hold blocks of 100 kB and more, whole or not at all

    @property
    def wants_more(self) -> bool:
        return bool(self._unpacking.needs_input)

    @property
    def ended(self) -> bool:
        return bool(self._unpacking.eof)

    @property
    def behind(self) -> bytes:
        return bytes(self._unpacking.unused_data)


_KINDS: dict[bytes, Callable[[], Decoder]] = {
    _BZIP2: lambda: _Other(bz2.BZ2Decompressor()),
    _XZ: lambda: _Other(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)),
}


def compression_of(head: bytes) -> bytes | None:
    """Return how something is packed, by its first bytes; None where it is not, or in no way that is known here."""
    magic_bytes = next((magic for magic in (_GZIP, *_KINDS) if head.startswith(magic)), None)
    return None if magic_bytes == _BZIP2 and head[4:10] != b"1AY&SY" else magic_bytes


def unpack_streams(stream: ByteStream, magic: bytes, budget: Budget) -> Iterator[bytes]:
    """Yield what is packed, also where several such streams follow each other. Raises DamagedError."""
    while stream.peek(len(magic)) == magic:
        budget.stream()
        yield from _gzip(stream, budget) if magic == _GZIP else unpacked_once(stream, _KINDS[magic](), budget)


def _gzip(stream: ByteStream, budget: Budget) -> Iterator[bytes]:
    """Yield what stands between header and trailer of gzip, https://www.rfc-editor.org/rfc/rfc1952#section-2.3."""
    flags = int.from_bytes(stream.take(_GZIP_HEADER_BYTES)[3:4])
    if flags & _EXTRA:
        stream.take(int.from_bytes(stream.take(2), "little"))
    for _ in range((flags & _NAME > 0) + (flags & _COMMENT > 0)):
        while (character := stream.take(1)) and character != b"\0":
            pass
    if flags & _HEADER_CHECKSUM:
        stream.take(2)
    checksum = 0
    for piece in unpacked_once(stream, DeflateDecoder(), budget):
        checksum = isal_zlib.crc32(piece, checksum)
        yield piece
    trailer = stream.take(_GZIP_TRAILER_BYTES)
    if len(trailer) < _GZIP_TRAILER_BYTES:
        raise DamagedError("it ends too early")
    if trailer[:4] != checksum.to_bytes(4, "little"):
        raise DamagedError("it is damaged (its checksum is another one)")


def unpacked_once(stream: ByteStream, unpacking: Decoder, budget: Budget) -> Iterator[bytes]:
    """Yield one packed stream and leave what lies behind it. Raises DamagedError."""
    packed_bytes = unpacked_bytes = 0
    asked_bytes = _STEP_BYTES  # little at first: of many streams that hold nothing, each would have all the next ones
    while not unpacking.ended:
        packed = b""
        if unpacking.wants_more:
            packed = stream.take(asked_bytes)
            asked_bytes = min(asked_bytes * 8, _PACKED_PIECE_BYTES)
        packed_bytes += len(packed)
        try:
            piece = unpacking.unpack(packed)
        except (_DEFLATE_ERROR, OSError, lzma.LZMAError, EOFError, ValueError) as error:
            yield unpacking.salvage()
            raise DamagedError(f"it is damaged ({error})") from error
        if not (packed or piece or unpacking.ended):
            raise DamagedError("it ends too early")
        unpacked_bytes += len(piece)
        budget.unpack(len(piece), unpacked_bytes, packed_bytes)
        yield piece
    stream.give_back(unpacking.behind)
