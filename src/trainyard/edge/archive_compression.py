"""What gzip, bzip2 and xz have packed, unpacked in pieces of bounded size."""

from __future__ import annotations

import bz2
import lzma
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from trainyard.edge.archive_limits import DamagedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trainyard.edge.archive_limits import Budget
    from trainyard.edge.archive_stream import ByteStream

# What a packed stream begins with: https://www.rfc-editor.org/rfc/rfc1952#section-2.3.1,
# https://tukaani.org/xz/xz-file-format.txt (2.1.1.1), and bzip2's `BZh`, a level, and the digits of pi.
_GZIP, _BZIP2, _XZ = b"\x1f\x8b\x08", b"BZh", b"\xfd7zXZ\x00"
# What is packed otherwise, and is named when it is left unread. https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
OTHERS = {b"\x28\xb5\x2f\xfd": "zstd", b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar", b"\x04\x22\x4d\x18": "lz4"}
# So large that zlib works for milliseconds, in which another thread does too.
_PIECE_BYTES = 2**20
_PACKED_PIECE_BYTES = 2**18
# xz may ask for as much as its header says: `xz -9` takes 65 MiB to unpack, https://linux.die.net/man/1/xz
_XZ_MEMORY_BYTES = 80 * 2**20


class Unpacking(Protocol):
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


class Deflated:
    """Of gzip, or of a zip's member, which has no header."""

    def __init__(self, window_bits: int) -> None:
        """Take what zlib calls wbits: 31 with gzip's header, -15 with none."""
        self._unpacking = zlib.decompressobj(window_bits)
        self._before, self._packed = self._unpacking, b""

    def unpack(self, packed: bytes) -> bytes:
        """Return a piece."""
        # Where it fails, zlib keeps what it had; the copy takes microseconds, and the piece a millisecond.
        self._before = self._unpacking.copy()
        self._packed = self._unpacking.unconsumed_tail + packed
        return self._unpacking.decompress(self._packed, _PIECE_BYTES)

    def salvage(self) -> bytes:
        """Return what stands before the place of the failure."""
        pieces: list[bytes] = []
        with suppress(zlib.error):
            pieces.extend(self._before.decompress(bytes([one]), _PIECE_BYTES) for one in self._packed)
        return b"".join(pieces)

    @property
    def wants_more(self) -> bool:
        """Whether nothing is left of what was given."""
        return not self._unpacking.unconsumed_tail

    @property
    def ended(self) -> bool:
        """Whether it has come to its end."""
        return self._unpacking.eof

    @property
    def behind(self) -> bytes:
        """What lies behind the end."""
        return self._unpacking.unused_data


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


_KINDS: dict[bytes, Callable[[], Unpacking]] = {
    _GZIP: lambda: Deflated(31),
    _BZIP2: lambda: _Other(bz2.BZ2Decompressor()),
    _XZ: lambda: _Other(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)),
}


def compression_of(head: bytes) -> bytes | None:
    """Return how something is packed, by its first bytes; None where it is not, or in no way that is known here."""
    found = next((magic for magic in _KINDS if head.startswith(magic)), None)
    return None if found == _BZIP2 and head[4:10] != b"1AY&SY" else found


def unpacked(stream: ByteStream, magic: bytes, budget: Budget) -> Iterator[bytes]:
    """Yield what is packed, also where several such streams follow each other. Raises DamagedError."""
    while stream.peek(len(magic)) == magic:
        yield from unpacked_once(stream, _KINDS[magic](), budget)


def unpacked_once(stream: ByteStream, unpacking: Unpacking, budget: Budget) -> Iterator[bytes]:
    """Yield one packed stream and leave what lies behind it. Raises DamagedError."""
    packed_bytes = unpacked_bytes = 0
    while not unpacking.ended:
        packed = stream.take(_PACKED_PIECE_BYTES) if unpacking.wants_more else b""
        packed_bytes += len(packed)
        try:
            piece = unpacking.unpack(packed)
        except (zlib.error, OSError, lzma.LZMAError, EOFError, ValueError) as error:
            yield unpacking.salvage()
            raise DamagedError(f"it is damaged ({error})") from error
        if not (packed or piece or unpacking.ended):
            raise DamagedError("it ends too early")
        unpacked_bytes += len(piece)
        budget.unpack(len(piece), unpacked_bytes, packed_bytes)
        yield piece
    stream.give_back(unpacking.behind)
