from __future__ import annotations

import bz2
import gzip
import lzma
import random
import time
from collections.abc import Callable

import pytest

from tests.edge.archives import read, tar
from trainyard.edge.archive_limits import ArchiveLimits

LINES = b"".join(b"2025-05-06T13:00:00Z line %d says %d\n" % (one, one * 7919 % 1000) for one in range(20_000))
PACKERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
SMALL = ArchiveLimits(total_bytes=10 * 2**20, ratio=20, ratio_from_bytes=2**20)


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_file_is_read_whatever_its_name(packer: str):
    assert read(PACKERS[packer](LINES)) == ({"given": LINES}, {})


@pytest.mark.parametrize("packer", PACKERS)
def test_streams_behind_each_other_are_one_file(packer: str):
    assert read(PACKERS[packer](b"a\n") + PACKERS[packer](b"b\n")) == ({"given": b"a\nb\n"}, {})


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_archive_is_read(packer: str):
    files = {"a.log": LINES, "b.log": b"x"}
    assert read(PACKERS[packer](tar(files))) == (files, {})


def test_of_a_truncated_file_the_beginning_is_read():
    packed = gzip.compress(LINES)
    found, unread = read(packed[: len(packed) // 2])
    assert LINES.startswith(found["given"])
    assert len(found["given"]) > len(LINES) // 3
    assert unread == {"given": "it ends too early"}


def test_of_a_damaged_file_what_stands_before_the_damage_is_read():
    packed = bytearray(gzip.compress(LINES))
    middle = len(packed) // 2
    packed[middle : middle + 50] = random.Random(1).randbytes(50)
    found, unread = read(bytes(packed))
    common = next(
        (place for place, (one, other) in enumerate(zip(found["given"], LINES, strict=False)) if one != other), 0
    )
    assert max(common, len(found["given"]) * LINES.startswith(found["given"])) > len(LINES) // 3
    assert "damaged" in unread["given"] or "too early" in unread["given"]


def test_a_wrong_checksum_loses_nothing():
    packed = bytearray(gzip.compress(b"one line\n"))
    packed[-8] ^= 1
    found, unread = read(bytes(packed))
    assert found == {"given": b"one line\n"}
    assert "checksum" in unread["given"]


@pytest.mark.parametrize("packer", PACKERS)
def test_a_bomb_goes_off_within_the_limit_of_its_ratio(packer: str):
    found, unread = read(PACKERS[packer](bytes(50 * 2**20)), SMALL, size=50)
    assert len(found["given"]) <= SMALL.ratio_from_bytes + 2**20
    assert unread["given"] == "unpacks to more than 20 times its size; the rest was not read"


def test_files_together_stay_within_the_limit_of_size():
    limits = ArchiveLimits(total_bytes=3 * len(LINES), ratio=1000)
    files = {f"{one}.log": LINES for one in range(9)}
    found, unread = read(gzip.compress(tar(files)), limits)
    assert 2 <= sum(content == LINES for content in found.values()) <= 3
    assert any("when unpacked; the rest was not read" in why for why in unread.values())


@pytest.mark.parametrize(
    ("head", "kind"), [(b"\x28\xb5\x2f\xfd", "zstd"), (b"7z\xbc\xaf\x27\x1c", "7z")], ids=["zstd", "7z"]
)
def test_what_cannot_be_unpacked_is_named(head: bytes, kind: str):
    assert read(head + b"x" * 100) == ({}, {"given": f"packed by {kind}: unpack it first"})


def test_a_log_that_begins_like_bzip2_is_a_log():
    assert read(b"BZhello\n") == ({"given": b"BZhello\n"}, {})


@pytest.mark.parametrize("flags", range(0, 32, 2))
def test_a_header_may_have_any_of_its_parts(flags: int):
    parts = {4: b"\x03\0abc", 8: b"name.log\0", 16: b"a comment\0", 2: b"\x12\x34"}
    packed = gzip.compress(b"one line\n")
    header = packed[:3] + bytes([flags]) + packed[4:10] + b"".join(part for flag, part in parts.items() if flags & flag)
    assert read(header + packed[10:]) == ({"given": b"one line\n"}, {})


@pytest.mark.parametrize("size", range(18))
def test_a_header_that_is_cut_off_is_said(size: int):
    found, unread = read(gzip.compress(b"")[:10].replace(b"\0", b"\x1e", 1)[:size])
    assert unread == {"given": "it ends too early"} or size < 3
    assert found in ({}, {"given": b""}) or size < 3


@pytest.mark.parametrize("packer", PACKERS)
def test_streams_that_hold_nothing_have_an_end(packer: str):
    packed = PACKERS[packer](b"a\n") + PACKERS[packer](b"") * 20 + PACKERS[packer](b"b\n")
    assert read(packed) == ({"given": b"a\nb\n"}, {})
    found, unread = read(packed, ArchiveLimits(streams=10))
    assert (found, unread) == ({"given": b"a\n"}, {"given": "more than 10 packed parts; the rest was not read"})


def test_many_streams_take_no_longer_than_their_number():
    packed = gzip.compress(b"") * 20_000  # each had the next 256 kB copied three times
    begun = time.process_time()
    assert read(packed) == ({"given": b""}, {})
    assert time.process_time() - begun < 5
