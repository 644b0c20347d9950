from __future__ import annotations

import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.edge.archives import BLOCK, read, special, tar

LOGS = {"logs/a.log": b"one\n" * 300, "logs/b.log": b"two\n", "logs/c.log": b""}
END = bytes(2 * BLOCK)
NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)


@given(
    st.dictionaries(
        NAMES.map(lambda name: f"logs/{name}"), st.binary(max_size=2000).map(b".".__add__), min_size=1, max_size=4
    ),
    st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
    st.integers(1, 3000),
)
def test_files_come_as_they_were_put_in(files: dict[str, bytes], form: int, size: int):
    data = tar(files, form)
    assert read(data, size=size) == (files, {})


@pytest.mark.parametrize("form", [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT], ids=["gnu", "pax"])
def test_names_may_be_longer_than_a_header(form: int):
    name = "/".join(["a-rather-long-folder"] * 20) + "/slurmctld.log"
    assert read(tar({name: b"x"}, form)) == ({name: b"x"}, {})


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a pipe"),
        (b"Z", "of a type that tar does not know"),
    ],
    ids=["symlink", "hard link", "character device", "block device", "pipe", "unknown"],
)
def test_what_is_no_file_is_listed_and_what_follows_is_read(kind: bytes, why: str):
    data = special("etc/passwd", kind, linkname="/etc/passwd") + tar(LOGS)
    assert read(data) == (LOGS, {"etc/passwd": why})


def test_folders_are_passed_over():
    assert read(special("logs", tarfile.DIRTYPE) + tar(LOGS)) == (LOGS, {})


def test_a_file_with_holes_is_not_blown_up():
    header = bytearray(special("huge", tarfile.GNUTYPE_SPARSE, size=BLOCK))
    header[482] = 1  # its map goes on in a block of its own
    header[483:495] = b"77777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    data = bytes(header) + bytes(BLOCK) + b"x" * BLOCK + tar(LOGS)
    assert read(data) == (LOGS, {"huge": "a file with holes"})


def test_names_that_lead_out_of_the_folder_are_only_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"../../etc/cron.d/x": b"1", "/root/.ssh/authorized_keys": b"2"}
    assert read(tar(files)) == (files, {})
    assert not list(tmp_path.iterdir())


def test_a_damaged_header_costs_its_own_file_only():
    data = bytearray(tar(LOGS))
    second = data.index(b"logs/b.log")
    data[second : second + 200] = b"\xff" * 200
    found, unread = read(bytes(data))
    assert found == {"logs/a.log": LOGS["logs/a.log"], "logs/c.log": b""}
    assert unread == {"given": "a part of it is damaged"}


@given(st.integers(BLOCK + 1, 4 * BLOCK))
def test_of_an_archive_that_ends_too_early_the_beginning_is_read(length: int):
    found, unread = read(tar({"a.log": b"line\n" * 300, "b.log": b"x"})[:length])
    assert found["a.log"] == (b"line\n" * 300)[: length - BLOCK]
    assert length >= BLOCK + 2 * BLOCK + 476 or "it ends too early" in unread.values()


@pytest.mark.parametrize("size", [-1, 2**70], ids=["negative", "huge"])
def test_a_size_that_cannot_be_right_is_told(size: int):
    header = bytearray(special("a.log", tarfile.REGTYPE))
    number = size.to_bytes(12, "big", signed=True) if size < 0 else b"\x80" + size.to_bytes(11, "big")
    header[124:136] = number
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    _, unread = read(bytes(header) + b"x" * BLOCK)
    assert unread["a.log"] in {"it ends too early", "it states a size that cannot be right"}
