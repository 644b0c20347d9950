"""Archives made in memory, whole and hostile."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Mapping

from trainyard.edge.archive_contents import contents
from trainyard.edge.archive_limits import ArchiveLimits, Budget, DamagedError
from trainyard.edge.archive_stream import ByteStream
from trainyard.edge.archive_tar import SkippedMember

BLOCK = 512


def in_blocks(data: bytes, size: int = 1000) -> Iterator[bytes]:
    return (data[place : place + size] for place in range(0, len(data), size))


def stream(data: bytes, size: int = 1000) -> ByteStream:
    return ByteStream(in_blocks(data, size))


def tar(files: Mapping[str, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as archive:
        for name, data in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))
    return target.getvalue()


def special(name: str, kind: bytes, **values: object) -> bytes:
    """Return the header of something that is no file."""
    header = tarfile.TarInfo(name)
    header.type = kind
    for key, value in values.items():
        setattr(header, key, value)
    return header.tobuf(tarfile.GNU_FORMAT)


def read(data: bytes, limits: ArchiveLimits | None = None, size: int = 1000) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the files of something, and what could not be read of it, with the reason."""
    files: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    for content in contents("given", stream(data, size), Budget(limits or ArchiveLimits())):
        if isinstance(content, SkippedMember):
            unread.setdefault(content.name, content.why)
            continue
        files[content.name] = b""
        try:
            for block in content.blocks:
                files[content.name] += block
        except DamagedError as error:
            unread[content.name] = str(error)
    return files, unread
