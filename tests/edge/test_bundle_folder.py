"""A folder that is replaced whole or not at all, whatever happens in between."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainyard.edge import bundle_folder
from trainyard.edge.bundle_folder import MARKER, write_folder
from trainyard.errors import InputError, TrainyardError

OLD = {"cluster.yaml": b"old\n", "README.md": b"old readme\n", "gone.txt": b"only before\n"}
NEW = {"cluster.yaml": b"new\n", "README.md": b"new readme\n", "sub/added.txt": b"only after\n"}


def never(_one: Path, _other: Path) -> bool:
    """Stand for a system that cannot exchange folders in one step."""
    return False


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.name != MARKER
    }


def test_a_folder_holds_exactly_the_files_and_a_marker(tmp_path: Path):
    write_folder(tmp_path / "a/b", NEW)
    assert content(tmp_path / "a/b") == NEW
    marker = json.loads((tmp_path / "a/b" / MARKER).read_text())
    assert set(marker["files"]) == set(NEW)


@pytest.mark.parametrize("exchange", [None, never], ids=["exchanged", "renamed"])
def test_a_former_bundle_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path, exchange: Any):
    write_folder(tmp_path / "b", OLD)
    assert write_folder(tmp_path / "b", NEW, exchange=exchange).backup is None
    assert content(tmp_path / "b") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_what_did_not_change_is_not_written_again(tmp_path: Path):
    write_folder(tmp_path / "b", OLD)
    before = {file: (tmp_path / "b" / file).stat().st_ino for file in OLD}
    write_folder(tmp_path / "b", {**OLD, "README.md": b"new readme\n"})
    assert content(tmp_path / "b") == {**OLD, "README.md": b"new readme\n"}
    assert {file for file in OLD if (tmp_path / "b" / file).stat().st_ino == before[file]} == {
        "cluster.yaml",
        "gone.txt",
    }
    assert {file.stat().st_nlink for file in (tmp_path / "b").iterdir()} == {1}


def test_a_link_in_a_former_bundle_is_replaced_by_a_file(tmp_path: Path):
    write_folder(tmp_path / "b", OLD)
    (tmp_path / "b/cluster.yaml").rename(tmp_path / "elsewhere")
    (tmp_path / "b/cluster.yaml").symlink_to(tmp_path / "elsewhere")
    write_folder(tmp_path / "b", OLD)
    assert content(tmp_path / "b") == OLD
    assert not (tmp_path / "b/cluster.yaml").is_symlink()
    assert (tmp_path / "elsewhere").read_bytes() == OLD["cluster.yaml"]


def test_a_folder_that_is_kept_shares_no_file_with_the_new_one(tmp_path: Path):
    write_folder(tmp_path / "b", OLD)
    (tmp_path / "b/notes.txt").write_text("mine")
    kept = write_folder(tmp_path / "b", OLD, force=True).backup
    assert kept is not None
    assert {file.stat().st_nlink for file in (*kept.iterdir(), *(tmp_path / "b").iterdir())} == {1}


def test_an_empty_folder_is_filled(tmp_path: Path):
    (tmp_path / "b").mkdir()
    write_folder(tmp_path / "b", NEW)
    assert content(tmp_path / "b") == NEW


def foreign(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")


def edited(folder: Path) -> None:
    write_folder(folder, OLD)
    (folder / "cluster.yaml").write_text("with my subnet")


def added_to(folder: Path) -> None:
    write_folder(folder, OLD)
    (folder / "notes.txt").write_text("mine")


def file_removed(folder: Path) -> None:
    write_folder(folder, OLD)
    (folder / "gone.txt").unlink()


def marker_broken(folder: Path) -> None:
    write_folder(folder, OLD)
    (folder / MARKER).write_text('{"files": 3}')


def marker_hostile(folder: Path) -> None:
    folder.mkdir()
    (folder / MARKER).write_text('{"files": {"../../etc/passwd": "x"}}')


NOT_OURS = [foreign, edited, added_to, file_removed, marker_broken, marker_hostile]


@pytest.mark.parametrize("made", NOT_OURS, ids=lambda made: made.__name__)
def test_what_trainyard_did_not_write_is_refused_and_left_as_it_was(tmp_path: Path, made: Callable[[Path], None]):
    made(tmp_path / "b")
    before = content(tmp_path / "b")
    with pytest.raises(InputError) as refusal:
        write_folder(tmp_path / "b", NEW)
    assert refusal.value.hint == "choose another folder, or --force to move this one aside"
    assert content(tmp_path / "b") == before
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


@pytest.mark.parametrize("made", NOT_OURS, ids=lambda made: made.__name__)
def test_force_moves_it_aside_and_loses_nothing(tmp_path: Path, made: Callable[[Path], None]):
    made(tmp_path / "b")
    before = content(tmp_path / "b")
    kept = write_folder(tmp_path / "b", NEW, force=True).backup
    assert kept == tmp_path / "b.before-1"
    assert content(kept) == before
    assert content(tmp_path / "b") == NEW


def test_force_twice_keeps_both(tmp_path: Path):
    for _ in range(2):
        (tmp_path / "b").mkdir(exist_ok=True)
        (tmp_path / "b" / "mine").write_text("x")
        write_folder(tmp_path / "b", NEW, force=True)
    assert {path.name for path in tmp_path.iterdir()} == {"b", "b.before-1", "b.before-2"}


def test_a_file_in_the_place_is_refused(tmp_path: Path):
    (tmp_path / "b").write_text("x")
    with pytest.raises(InputError, match="is not a folder"):
        write_folder(tmp_path / "b", NEW)


def test_the_folder_one_is_in_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "b/c").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "b/c")
    for folder in (tmp_path / "b/c", tmp_path / "b", tmp_path):
        with pytest.raises(InputError, match="the folder you are in"):
            write_folder(folder, NEW, force=True)


def test_a_link_to_a_bundle_stays_a_link(tmp_path: Path):
    write_folder(tmp_path / "real", OLD)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert content(tmp_path / "real") == NEW


def test_a_parent_that_is_a_file_is_a_clear_error(tmp_path: Path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(TrainyardError, match="could not write"):
        write_folder(tmp_path / "file" / "b", NEW)


def in_child(work: Callable[[], None]) -> int:
    """Run work in a child process and return how it ended: an exit status, or minus a signal."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException:  # noqa: BLE001  whatever it is, the child must not return into the test
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_write_that_fails_leaves_the_former_bundle_and_no_rest(tmp_path: Path):
    write_folder(tmp_path / "b", OLD)

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        with pytest.raises(TrainyardError, match="could not write"):
            write_folder(tmp_path / "b", {**NEW, "large": b"x" * 5000})

    assert in_child(work) == 0
    assert content(tmp_path / "b") == OLD
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def killed_at(line: int, work: Callable[[], object]) -> bool:
    """Run work in a child that kills itself when it is about to run its line-th line. Return whether it was killed."""
    count = 0

    def trace(frame: Any, event: str, _arg: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename not in (bundle_folder.__file__, shutil.__file__):
            return None
        if event == "line":
            count += 1
            if count == line:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    def traced() -> None:
        sys.settrace(trace)
        work()

    return in_child(traced) == -signal.SIGKILL


def kill_points(tmp_path: Path, step: int, check: Callable[[Path, int], bool]) -> int:
    """Try one kill point after the other until the work gets through. Return how many there were."""
    line = 1
    while check(tmp_path / str(line), line):
        line += step
    return line


STEPS = [
    pytest.param(7, id="some"),
    pytest.param(1, id="every", marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize("step", STEPS)
def test_killed_anywhere_the_folder_is_whole(tmp_path: Path, step: int):
    def check(place: Path, line: int) -> bool:
        write_folder(place / "b", OLD)
        killed = killed_at(line, lambda: write_folder(place / "b", NEW))
        assert content(place / "b") in (OLD, NEW)
        write_folder(place / "b", NEW)
        assert content(place / "b") == NEW
        assert [path.name for path in place.iterdir()] == ["b"]
        return killed

    assert kill_points(tmp_path, step, check) > 50


@pytest.mark.parametrize("step", STEPS)
def test_killed_anywhere_without_exchange_the_next_call_puts_the_folder_back(tmp_path: Path, step: int):
    def check(place: Path, line: int) -> bool:
        write_folder(place / "b", OLD)
        killed = killed_at(line, lambda: write_folder(place / "b", NEW, exchange=never))
        bundle_folder._restore(place / "b")  # what the next call does first
        assert content(place / "b") in (OLD, NEW)
        assert {path.name for path in place.iterdir()} == {"b"}
        return killed

    assert kill_points(tmp_path, step, check) > 50


@pytest.mark.parametrize("step", STEPS)
def test_killed_anywhere_a_foreign_folder_is_never_lost(tmp_path: Path, step: int):
    def check(place: Path, line: int) -> bool:
        place.mkdir()
        foreign(place / "b")
        killed = killed_at(line, lambda: write_folder(place / "b", NEW, force=True))
        assert any((path / "thesis.tex").is_file() for path in (place / "b", place / "b.before-1"))
        write_folder(place / "b", NEW, force=True)
        assert any((path / "thesis.tex").is_file() for path in place.iterdir())
        assert content(place / "b") == NEW
        return killed

    assert kill_points(tmp_path, step, check) > 50


def test_two_processes_that_write_the_same_folder_take_turns(tmp_path: Path):
    def many() -> None:
        for _ in range(20):
            write_folder(tmp_path / "b", NEW)

    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            try:
                many()
                os._exit(0)
            except BaseException:  # noqa: BLE001  the child must not return into the test
                os._exit(1)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
    assert content(tmp_path / "b") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
