from __future__ import annotations

import io
import struct
import zipfile

import pytest

from tests.edge.archives import read

LOGS = {"logs/a.log": b"one line\n" * 3000, "logs/b.log": b"", "logs/ünï.log": b"two\n"}


class Pipe(io.RawIOBase):
    """Something that cannot be sought in: zipfile then writes sizes behind the data."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.data += bytes(data)
        return len(data)


def zipped(method: int, *, piped: bool = False) -> bytes:
    target = Pipe() if piped else io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in LOGS.items():
            archive.writestr(name, data)
    return target.data if isinstance(target, Pipe) else target.getvalue()


@pytest.mark.parametrize("size", [1, 7, 1000, 10**6])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflated"])
def test_files_come_as_they_were_put_in(method: int, size: int):
    assert read(zipped(method), size=size) == (LOGS, {})


def test_sizes_may_stand_behind_the_data():
    assert read(zipped(zipfile.ZIP_DEFLATED, piped=True)) == (LOGS, {})


def test_what_is_stored_without_its_size_cannot_be_found():
    _, unread = read(zipped(zipfile.ZIP_STORED, piped=True))
    assert unread["logs/a.log"] == "zip says neither how large it is nor where it ends"
    assert unread["given"] == "its parts behind this file cannot be found"


def test_what_is_encrypted_is_listed_and_the_rest_is_read():
    data = bytearray(zipped(zipfile.ZIP_DEFLATED))
    struct.pack_into("<H", data, 6, 1)
    found, unread = read(bytes(data))
    assert unread == {"logs/a.log": "encrypted"}
    assert found == {name: LOGS[name] for name in LOGS if name != "logs/a.log"}


def test_other_methods_are_named():
    assert read(zipped(zipfile.ZIP_BZIP2))[1]["logs/a.log"] == "packed by zip's method 12"


def test_a_wrong_checksum_is_told_after_the_file():
    data = bytearray(zipped(zipfile.ZIP_STORED))
    place = data.index(b"one line")
    data[place] ^= 1
    found, unread = read(bytes(data))
    assert found["logs/a.log"].endswith(b"one line\n")
    assert "checksum" in unread["logs/a.log"]
    assert found["logs/ünï.log"] == b"two\n"


@pytest.mark.parametrize("length", [10, 35, 60])
def test_of_an_archive_that_ends_too_early_the_beginning_is_read(length: int):
    assert read(zipped(zipfile.ZIP_STORED)[:length])[1]
