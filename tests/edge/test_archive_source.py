from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import pytest

from trainyard.edge.archive_source import OpenedSource
from trainyard.edge.archive_tar import SkippedMember
from trainyard.errors import InputError


def read(name: str) -> tuple[dict[str, bytes], dict[str, str]]:
    source = OpenedSource(name)
    files, skipped = {}, {}
    for member in source.members():
        if isinstance(member, SkippedMember):
            skipped[member.name] = member.why
        else:
            files[member.name] = b"".join(member.blocks)
    source.close()
    return files, skipped


def test_a_folder_is_read_by_the_order_of_names(tmp_path: Path):
    for name in ("b/2.log", "a/1.log", "c.log.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(gzip.compress(b"packed") if name.endswith("gz") else name.encode())
    files, skipped = read(str(tmp_path))
    assert list(files) == ["c.log.gz", "a/1.log", "b/2.log"]
    assert files["c.log.gz"] == b"packed"
    assert not skipped


def test_links_and_pipes_are_listed_and_not_followed(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.log").write_bytes(b"x")
    (tmp_path / "again").symlink_to("real")
    (tmp_path / "passwd").symlink_to("/etc/passwd")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    assert read(str(tmp_path)) == (
        {"real/a.log": b"x"},
        {"again": "a link", "passwd": "a link", "loop": "a link", "pipe": "no file"},
    )


def test_names_that_are_no_utf_8_can_be_shown(tmp_path: Path):
    (tmp_path / os.fsdecode(b"a\xff.log")).write_bytes(b"x")
    assert read(str(tmp_path)) == ({"a�.log": b"x"}, {})


def test_a_single_file_is_called_as_the_user_called_it(tmp_path: Path):
    (tmp_path / "job.out").write_bytes(b"x")
    assert read(str(tmp_path / "job.out")) == ({str(tmp_path / "job.out"): b"x"}, {})


def test_standard_input_may_be_packed(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"x\n"))))
    assert read("-") == ({"-": b"x\n"}, {})


@pytest.mark.parametrize("name", ["missing.tar.gz", "with\0zero"])
def test_what_cannot_be_opened_is_one_clear_line(name: str, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="cannot be read: ") as error:
        OpenedSource(name)
    assert error.value.where == name
