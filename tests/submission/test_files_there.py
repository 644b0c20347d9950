"""Files to a head node and back: block by block, whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.full_disk import files_of_at_most
from trainyard.edge.remote_command import CommandResult
from trainyard.edge.slurm_local import LocalSlurm
from trainyard.errors import TrainyardError
from trainyard.submission.head_node import fetch, home, write_files

pytestmark = pytest.mark.integration
SMALL = LocalSlurm(block_bytes=1000)


def test_files_larger_than_a_block_arrive_whole(tmp_path: Path):
    text = "".join(f"line {number} ö\n" for number in range(1000))
    write_files(SMALL, str(tmp_path / "there"), {"a.sbatch": "short", "deep/b.py": text})
    assert (tmp_path / "there" / "deep" / "b.py").read_text() == text
    assert (tmp_path / "there" / "a.sbatch").read_text() == "short"


def test_a_file_that_is_written_again_keeps_nothing_of_the_former(tmp_path: Path):
    write_files(SMALL, str(tmp_path), {"a": "x" * 5000})
    write_files(SMALL, str(tmp_path), {"a": "y"})
    assert (tmp_path / "a").read_text() == "y"


@pytest.mark.parametrize("size_bytes", [0, 1, 999, 100_000])
def test_a_file_of_any_size_is_fetched_as_it_is(tmp_path: Path, size_bytes: int):
    content = os.urandom(size_bytes)
    (tmp_path / "out").write_bytes(content)
    assert fetch(SMALL, str(tmp_path / "out"), tmp_path / "here" / "out")
    assert (tmp_path / "here" / "out").read_bytes() == content
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "out"]


def test_a_file_that_is_not_there_is_not_fetched(tmp_path: Path):
    assert not fetch(SMALL, str(tmp_path / "out"), tmp_path / "here")


def test_a_place_here_that_cannot_be_written_is_told_with_how_to_go_on(tmp_path: Path):
    (tmp_path / "out").write_bytes(b"x")
    with pytest.raises(TrainyardError, match=r"could not write /dev/full/out: (Not a directory|File exists)") as told:
        fetch(SMALL, str(tmp_path / "out"), Path("/dev/full/out"))
    assert "jobs are not run again" in str(told.value.hint)


def test_a_full_disk_here_leaves_nothing_half_and_the_next_call_fetches_it(tmp_path: Path):
    content = b"a line that packs well\n" * 10_000
    (tmp_path / "out").write_bytes(content)
    here = tmp_path / "results" / "out"
    with files_of_at_most(20_000), pytest.raises(TrainyardError, match=r"could not write .*: File too large") as told:
        fetch(SMALL, str(tmp_path / "out"), here)
    assert "make room" in str(told.value.hint)
    assert list(here.parent.iterdir()) == []
    assert fetch(SMALL, str(tmp_path / "out"), here)
    assert here.read_bytes() == content


def test_a_full_disk_there_is_told_in_its_words():
    with pytest.raises(TrainyardError, match=rf"dd failed .*{os.strerror(errno.ENOSPC)}"):
        write_files(SMALL, "/dev", {"full": "text"})


class Cut(LocalSlurm):
    """A connection that gives the beginning of every block."""

    def run(self, arguments: object, content: bytes = b"") -> CommandResult:
        answer = LocalSlurm.run(self, arguments, content)  # type: ignore[arg-type]  # as it is called
        return (
            answer._replace(output=answer.output[: len(answer.output) // 2]) if "skip=0" in str(arguments) else answer
        )


def test_what_arrives_damaged_is_not_taken_for_a_result(tmp_path: Path):
    (tmp_path / "out").write_bytes(os.urandom(500))
    with pytest.raises(TrainyardError, match="arrived"):
        fetch(Cut(block_bytes=1000), str(tmp_path / "out"), tmp_path / "here")
    assert not (tmp_path / "here").exists()


def test_a_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HOME")
    with pytest.raises(TrainyardError, match="has no home folder"):
        home(SMALL)
