from __future__ import annotations

import gzip
import io
import threading
import zipfile
from collections.abc import Iterator

import pytest

from tests.edge.archives import read, stream, tar
from trainyard.edge.archive_contents import contents, read_ahead
from trainyard.edge.archive_limits import ArchiveLimits, Budget, DamagedError
from trainyard.edge.archive_tar import Member


def test_what_is_packed_in_an_archive_is_unpacked_too():
    inner = tar({"var/log/syslog": b"inner\n", "var/log/syslog.1.gz": gzip.compress(b"older\n")})
    assert read(gzip.compress(tar({"node-1.tar.gz": gzip.compress(inner), "b.log": b"x"}))) == (
        {"node-1.tar.gz/var/log/syslog": b"inner\n", "node-1.tar.gz/var/log/syslog.1.gz": b"older\n", "b.log": b"x"},
        {},
    )


def test_a_zip_in_a_tar_is_read():
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.log", b"x\n")
    assert read(tar({"sos.zip": target.getvalue(), "b.log": b"y"})) == ({"sos.zip/a.log": b"x\n", "b.log": b"y"}, {})


def test_a_damaged_archive_within_one_does_not_hide_what_follows():
    found, unread = read(tar({"a.gz": gzip.compress(b"lost\n" * 999)[:30], "b.log": b"x"}))
    assert found["b.log"] == b"x"
    assert unread == {"a.gz": "it ends too early"}


def test_what_is_packed_too_often_is_left():
    data = b"deep\n"
    for _ in range(9):
        data = gzip.compress(data)
    assert read(data, ArchiveLimits(depth=6)) == ({}, {"given": "packed more than 6 times within each other"})


def test_more_files_than_the_limit_are_left_unread():
    found, unread = read(tar({f"{one}.log": b"x" for one in range(30)}), ArchiveLimits(members=10))
    assert len(found) == 10
    assert "more than 10 files; the rest was not read" in unread.values()


def test_files_that_nobody_reads_are_passed_over():
    budget = Budget()
    members = contents("given", stream(tar({f"{one}.log": bytes(3000) for one in range(5)})), budget)
    assert [member.name for member in members if isinstance(member, Member)] == [f"{one}.log" for one in range(5)]


def test_the_thread_ends_with_whoever_uses_its_blocks():
    before = threading.active_count()
    blocks = read_ahead(iter([b"x"] * 1000))
    assert next(blocks) == b"x"
    blocks.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before


def test_what_goes_wrong_in_the_thread_is_raised_where_blocks_are_used():
    def blocks() -> Iterator[bytes]:
        yield b"x"
        raise DamagedError("gone")

    ahead = read_ahead(blocks())
    assert next(ahead) == b"x"
    with pytest.raises(DamagedError, match="gone"):
        next(ahead)
