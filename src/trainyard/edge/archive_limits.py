"""How much an archive may hold before the rest of it is left unread, and what says that it is."""

from __future__ import annotations

from dataclasses import dataclass


class DamagedError(Exception):
    """The rest cannot be read, or not within the limits. What was read before is still worth something."""


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What bounds reading. Whoever made an archive may have meant harm."""

    total_bytes: int = 64 * 2**30
    """Unpacked, of all packed parts together. The logs of 1,000 nodes have some 2 GB; this takes minutes to read."""
    ratio: int = 200
    """Unpacked by packed, of one compressed part. Logs reach 4 to 60; zeros in gzip reach 1,030."""
    ratio_from_bytes: int = 64 * 2**20
    """Below this, what is unpacked may have any ratio: one line many times over is a log as well."""
    members: int = 250_000
    """Of files altogether. 1,000 nodes with 20 logs each, all of them rotated ten times, have 200,000."""
    streams: int = 250_000
    """Packed one behind the other, of all files together. bgzip packs 64 KiB in each, so that these are 16 GB."""
    depth: int = 6
    """Of what is packed within each other. A tar.gz, with a tar.gz, with a gz in it, has five."""


LIMITS = ArchiveLimits()


class Budget:
    """What is left of the limits while one source is read."""

    def __init__(self, limits: ArchiveLimits = LIMITS) -> None:
        """Begin with all of it."""
        self.limits = limits
        self.total_bytes = 0
        self.members = 0
        self.streams = 0

    @property
    def exhausted(self) -> bool:
        """Whether nothing more may be read at all."""
        return self.members > self.limits.members or self.total_bytes > self.limits.total_bytes

    def unpack(self, size_bytes: int, unpacked_bytes: int, packed_bytes: int) -> None:
        """Count bytes that were just unpacked, of a part that has so many up to now. Raises DamagedError."""
        self.total_bytes += size_bytes
        if self.total_bytes > self.limits.total_bytes:
            raise DamagedError(f"more than {self.limits.total_bytes} bytes when unpacked; the rest was not read")
        if unpacked_bytes > max(self.limits.ratio_from_bytes, self.limits.ratio * packed_bytes):
            raise DamagedError(f"unpacks to more than {self.limits.ratio} times its size; the rest was not read")

    def stream(self) -> None:
        """Count a packed stream, which may hold nothing. Raises DamagedError."""
        self.streams += 1
        if self.streams > self.limits.streams:
            raise DamagedError(f"more than {self.limits.streams} packed parts; the rest was not read")

    def member(self) -> None:
        """Count a file. Raises DamagedError."""
        self.members += 1
        if self.members > self.limits.members:
            raise DamagedError(f"more than {self.limits.members} files; the rest was not read")
