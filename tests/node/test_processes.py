"""A step runs only when its process group is noted, so that whoever comes after can end it."""

from __future__ import annotations

from pathlib import Path, PosixPath

import pytest

from trainyard_node.processes import RealProcesses


class EndsTheRunner(PosixPath):
    """A place for the note, at which the runner is ended by a signal."""

    @property
    def parent(self) -> EndsTheRunner:
        raise KeyboardInterrupt


def step(tmp_path: Path) -> Path:
    script = tmp_path / "step.sh"
    script.write_text(f"cat; echo done > {tmp_path / 'done'}; echo $TOLD >&2; exit 7\n")
    return script


def test_a_step_has_its_variables_no_input_and_its_own_status(tmp_path: Path):
    end = RealProcesses(tmp_path / "note").run_step(step(tmp_path), {"TOLD": "words"}, tmp_path / "log", 60)
    assert (end.status, end.last_words) == (7, "words")
    assert (tmp_path / "done").exists()
    assert not (tmp_path / "note").exists()


def children() -> set[str]:
    """Return the processes that this one has started, beside those that other tests of it keep."""
    return {
        process for task in Path("/proc/self/task").iterdir() for process in (task / "children").read_text().split()
    }


def test_a_step_never_begins_where_its_runner_ends_before_the_note(tmp_path: Path):
    before = children()
    with pytest.raises(KeyboardInterrupt):
        RealProcesses(EndsTheRunner(tmp_path / "note")).run_step(step(tmp_path), {}, tmp_path / "log", 60)
    assert children() <= before
    assert not (tmp_path / "done").exists()
