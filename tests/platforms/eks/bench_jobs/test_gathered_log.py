"""Logs that are gathered by and by: nothing is lost and nothing comes twice, however the reading breaks off."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.full_disk import files_of_at_most
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.mpi_jobs.container_log import GAP, GatheredLog


def stamped(*texts: str, second: int = 0) -> list[str]:
    return [f"2026-11-22T04:00:{second:02d}.{at:09d}Z {text}" for at, text in enumerate(texts)]


def written(log: GatheredLog) -> list[str]:
    return b"".join(log.lines()).decode().split("\n")[:-1]


def since(lines: list[str], log: GatheredLog) -> list[str]:
    """Return what kubectl logs --since-time gives: whole seconds."""
    return [line for line in lines if log.since is None or line[:19] >= log.since[:19]]


def test_a_log_is_read_on_from_where_it_was(tmp_path: Path):
    log, lines = GatheredLog(tmp_path / "a.part"), stamped("a", "b") + stamped("c", second=30)
    log.add(since(lines[:2], log))
    log.add(since(lines, log))
    assert written(log) == ["a", "b", "c"]
    assert log.since == "2026-11-22T04:00:28Z"


def test_lines_that_say_the_same_again_are_not_taken_for_the_same_line(tmp_path: Path):
    log, lines = GatheredLog(tmp_path / "a.part"), stamped("same", "same", "same")
    log.add(lines[:2])
    log.add(lines)
    assert written(log) == ["same"] * 3


def test_the_same_line_twice_at_the_same_time_is_two_lines(tmp_path: Path):
    log, line = GatheredLog(tmp_path / "a.part"), stamped("same")[0]
    log.add([line, line])
    log.add([line, line, line])
    assert written(log) == ["same"] * 3


def test_another_process_goes_on_with_what_the_first_has_left(tmp_path: Path):
    lines = stamped("a", "b", "c")
    GatheredLog(tmp_path / "a.part").add(lines[:2])
    with (tmp_path / "a.part").open("a") as stream:
        stream.write(lines[2][:-1])  # killed within a line
    second = GatheredLog(tmp_path / "a.part")
    second.add(lines)
    assert written(second) == ["a", "b", "c"]


def test_the_last_line_of_a_reading_that_broke_off_is_read_again(tmp_path: Path):
    def broken() -> Iterator[str]:
        yield from stamped("a")
        yield stamped("a", "the whole li")[1]
        raise TrainyardError("the connection is lost")

    log = GatheredLog(tmp_path / "a.part")
    with pytest.raises(TrainyardError, match="lost"):
        log.add(broken())
    log.add(stamped("a", "the whole line"))
    assert written(log) == ["a", "the whole line"]


def test_what_the_node_has_put_away_is_marked(tmp_path: Path):
    log = GatheredLog(tmp_path / "a.part")
    log.add(stamped("a"))
    log.add(stamped("z", second=40))
    assert written(log) == ["a", GAP, "z"]


def test_what_is_no_line_of_the_container_is_left_out(tmp_path: Path):
    """Kubernetes answers with it where a container is gone, and calls that a success."""
    log = GatheredLog(tmp_path / "a.part")
    log.add(["unable to retrieve container logs for containerd://0123", *stamped("a", ""), "2026 is no time"])
    assert written(log) == ["a", ""]


def test_times_of_another_zone_stay_in_it(tmp_path: Path):
    log = GatheredLog(tmp_path / "a.part")
    log.add(["2026-11-22T04:00:01.5+01:00 a"])
    assert log.since == "2026-11-22T03:59:59+01:00"


def test_a_full_disk_is_told_with_what_to_do(tmp_path: Path):
    with files_of_at_most(2**20), pytest.raises(TrainyardError, match="could not write") as told:
        GatheredLog(tmp_path / "a.part").add(stamped(*["x" * 1000] * 10_000))
    assert "--results" in str(told.value.hint)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), max_size=30), st.data())
def test_however_a_log_is_read_it_comes_out_whole(tmp_path_factory, texts: list[tuple[int, str]], data: st.DataObject):
    lines, second = [], 0
    for step, text in texts:
        second += step
        lines.append(f"2026-11-22T04:{second // 60:02d}:{second % 60:02d}.{data.draw(st.integers(0, 1))}Z {text}")
    log = GatheredLog(tmp_path_factory.mktemp("log") / "a.part")
    for end in (*sorted(data.draw(st.lists(st.integers(0, len(lines)), max_size=5))), len(lines)):
        if data.draw(st.booleans()):
            log = GatheredLog(log.file)
        log.add(since(lines[:end], log))
    assert written(log) == [text for _, text in texts] if lines else not log.file.read_text()
