from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from trainyard.diagnose.log_file import UnreadableError
from trainyard.diagnose.reading import ArchiveLimits, log_files


def archive(target: Path, files: dict[str, bytes]) -> str:
    with tarfile.open(target, "w:gz", compresslevel=1) as written:
        for name, data in files.items():
            header = tarfile.TarInfo(name)
            header.size = len(data)
            written.addfile(header, io.BytesIO(data))
    return str(target)


def read(name: str, limits: ArchiveLimits | None = None) -> tuple[dict[str, bytes], dict[str, str], int]:
    files, broken = {}, {}
    with log_files(name, limits or ArchiveLimits()) as source:
        for file in source.files:
            files[file.name] = b""
            try:
                for block in file.blocks:
                    files[file.name] += block
            except UnreadableError as error:
                broken[file.name] = str(error)
        return files, broken | {unread.name: unread.why for unread in source.unread.listed}, source.unread.count


def test_binary_files_are_listed_and_programs_not_read(tmp_path: Path):
    name = archive(tmp_path / "x", {"a.log": b"text\n", "core": b"\x7fELF\x02\x01", "b.bin": bytes(range(1, 32)) * 99})
    why = "mostly binary; its beginning was searched all the same"
    binary = {"b.bin": bytes(range(1, 32)) * 99}
    assert read(name) == ({"a.log": b"text\n"} | binary, {"core": "a program or a core dump", "b.bin": why}, 2)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_become_utf_8(tmp_path: Path, encoding: str):
    text = "Fehler: Gerät nicht gefunden\r\n" * 3000
    (tmp_path / "a.log").write_bytes(text.encode(encoding))
    assert read(str(tmp_path))[0]["a.log"].decode() == text


def test_zeros_that_a_crash_left_are_taken_out(tmp_path: Path):
    (tmp_path / "syslog").write_bytes(bytes(5000) + b"May  6 13:00:01 a kernel: one\n" + bytes(99) + b"two\n")
    assert read(str(tmp_path))[0]["syslog"] == b"May  6 13:00:01 a kernel: one\ntwo\n"


def test_a_truncated_archive_is_read_up_to_its_end(tmp_path: Path):
    file = tmp_path / "x.tar.gz"
    archive(file, {"a.log": b"a\n", "b.log": b"".join(b"%d\n" % (one * 7919) for one in range(50_000))})
    file.write_bytes(file.read_bytes()[:-20_000])
    files, unread, _ = read(str(file))
    assert files["a.log"] == b"a\n"
    assert len(files["b.log"]) > 100_000
    assert unread["b.log"] == "it ends too early"


def test_an_empty_file_is_an_empty_log(tmp_path: Path):
    (tmp_path / "empty").touch()
    assert read(str(tmp_path / "empty"))[0] == {str(tmp_path / "empty"): b""}


def test_what_is_unread_is_counted_and_listed_only_up_to_a_limit(tmp_path: Path):
    for number in range(300):
        (tmp_path / f"{number}").symlink_to("/etc/passwd")
    with log_files(str(tmp_path)) as source:
        assert not list(source.files)
    assert (len(source.unread.listed), source.unread.count) == (200, 300)


def test_a_bomb_takes_no_memory(tmp_path: Path):
    file = tmp_path / "bomb.gz"
    with gzip.open(file, "wb") as bomb:
        for _ in range(64):
            bomb.write(bytes(2**20))
    tracemalloc.start()
    with log_files(str(file), ArchiveLimits(ratio_from_bytes=2**30)) as source:
        for log in source.files:
            assert not sum(map(len, log.blocks))  # zeros are no text
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 16 * 2**20


def test_only_what_can_be_opened_again_is_repeatable(tmp_path: Path, monkeypatch):
    (tmp_path / "a.log").write_bytes(b"x")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x")))
    repeatable = {}
    for name in (str(tmp_path), str(tmp_path / "a.log"), "-"):
        with log_files(name) as source:
            repeatable[name] = source.repeatable
    assert list(repeatable.values()) == [True, True, False]


def test_a_year_may_stand_in_the_name_of_the_source(tmp_path: Path):
    folder = tmp_path / "train-logs-202505061300"
    folder.mkdir()
    (folder / "a.log").write_bytes(b"x")
    with log_files(str(folder)) as source:
        written = next(source.files).written
    assert written
    assert f"{written:%Y-%m-%d %H:%M}" == "2025-05-06 13:00"
