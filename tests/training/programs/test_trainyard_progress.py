"""The line of a step: what is written, by which names, and that nothing of it can stop a run."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trainyard.training.programs import trainyard_progress
from trainyard.training.programs.trainyard_progress import SHOWN, Progress, gpu_names
from trainyard.training.run_progress import run_progress, shown_progress


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "RANK", "LOCAL_RANK", "SLURM_PROCID", "SLURM_RESTART_COUNT", "SLURM_JOB_ID", "WORLD_SIZE", "TRAINYARD_PROGRESS"
    ):  # fmt: skip
        monkeypatch.delenv(name, raising=False)


def lines(folder: Path, rank: int = 0) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"rank-{rank}.jsonl").read_text().splitlines()]


def test_a_step_has_what_the_program_says(tmp_path: Path):
    progress = Progress(tmp_path, rank=3, node="q-1")
    progress.step(7, step_seconds=0.25, loss=2.5, tokens=1024, flops=6e9)
    progress.flush()
    start, step = lines(tmp_path, 3)
    assert (start["event"], start["rank"], start["node"]) == ("start", 3, "q-1")
    del step["time"]
    assert step == {"rank": 3, "node": "q-1", "step": 7, "step_seconds": 0.25, "loss": 2.5, "tokens": 1024,
                    "flops": 6e9}  # fmt: skip


def test_the_start_names_attempt_job_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name, value in {"SLURM_RESTART_COUNT": "2", "SLURM_JOB_ID": "17", "WORLD_SIZE": "16", "RANK": "5"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("TRAINYARD_PROGRESS", str(tmp_path))
    Progress()
    (start,) = lines(tmp_path, 5)
    assert (start["attempt"], start["job"], start["world_size"]) == (2, 17, 16)


def test_a_step_tells_what_the_rank_itself_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOCAL_RANK", "5")
    progress = Progress(tmp_path, stage=2)
    progress.step(0, compute_seconds=0.25)
    progress.flush()
    start, step = lines(tmp_path)
    assert (start["gpu"], start["stage"], step["compute_seconds"]) == (5, 2, 0.25)


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    progress = Progress()
    with progress.save(1):
        progress.step(0)
    progress.end()
    assert list(tmp_path.iterdir()) == []


def test_half_a_line_of_a_killed_process_spoils_no_other(tmp_path: Path):
    Progress(tmp_path).step(0)
    with (tmp_path / "rank-0.jsonl").open("a") as file:
        file.write('{"time": 17')
    Progress(tmp_path)
    *_, half, start = (tmp_path / "rank-0.jsonl").read_text().splitlines()
    assert half == '{"time": 17'
    assert json.loads(start)["event"] == "start"


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), float("-inf")])
def test_a_loss_that_is_no_number_stays_json(tmp_path: Path, loss: float):
    progress = Progress(tmp_path)
    progress.step(0, loss=loss)
    progress.flush()
    assert lines(tmp_path)[-1]["loss"] == str(loss)


def test_a_checkpoint_that_fails_has_no_end(tmp_path: Path):
    progress = Progress(tmp_path)
    with progress.save(10):
        pass
    with pytest.raises(OSError, match="full"), progress.save(20):
        raise OSError("full")
    assert [(line["event"], line.get("step")) for line in lines(tmp_path)[1:]] == [
        ("save_begin", 10), ("save_end", 10), ("save_begin", 20)
    ]  # fmt: skip


def test_a_step_without_a_duration_is_timed_from_the_line_before(tmp_path: Path):
    progress = Progress(tmp_path)
    progress.step(0)
    progress.flush()
    assert 0 <= lines(tmp_path)[-1]["step_seconds"] < 60


def test_a_place_that_cannot_be_written_stops_nothing(tmp_path: Path):
    (tmp_path / "file").write_text("")
    progress = Progress(tmp_path / "file" / "progress")
    progress.step(0, loss=1.0)
    progress.end()
    assert progress.lines_lost == 1


def test_a_full_disk_is_counted_and_stops_nothing(tmp_path: Path):
    progress = Progress(tmp_path)
    assert progress._file is not None
    os.dup2(os.open("/dev/full", os.O_WRONLY), progress._file)
    progress.step(0)
    progress.event("end")
    assert progress.lines_lost == 2
    assert [line["event"] for line in lines(tmp_path)] == ["start"]


def test_half_a_line_on_a_full_disk_spoils_no_other(tmp_path: Path):
    progress = Progress(tmp_path)
    file = tmp_path / "rank-0.jsonl"
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 20, limit[1]))  # room for a part of a line
    try:
        progress.event("save_begin", step=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    progress.event("end")
    written = file.read_text().splitlines()
    assert ([len(line) for line in written][1], json.loads(written[2])["event"], progress.lines_lost) == (20, "end", 1)


def test_the_gpus_of_a_node_are_those_that_its_driver_names(tmp_path: Path):
    for place in ("0000:10:1c.0", "0000:20:1c.0"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "information").write_text("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 16\n")
    assert gpu_names(f"{tmp_path}/*/information") == ["NVIDIA H100 80GB HBM3"]
    assert gpu_names(f"{tmp_path}/none/*") == []


HANGS = """
import sys, time
from trainyard_progress import Progress
progress = Progress()
for step in range(3):
    progress.step(step)
{end}
print("goes on", flush=True)
time.sleep({then_s})
"""


def hanging(folder: Path, end: str = "", then_s: float = 100, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": str(Path(str(trainyard_progress.__file__)).parent), "TRAINYARD_PROGRESS": str(folder)}
    command = [sys.executable, "-c", HANGS.format(end=end, then_s=then_s)]
    return subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, check=False)


@pytest.mark.integration
def test_a_process_that_hangs_says_where_and_ends(tmp_path: Path):
    done = hanging(tmp_path, TRAINYARD_HANG_S="1")
    assert done.returncode == 1
    assert done.stdout == "goes on\n"
    assert "Timeout" in done.stderr
    assert 'File "<string>", line 9' in done.stderr


@pytest.mark.integration
def test_a_process_that_has_told_its_end_does_not_hang(tmp_path: Path):
    assert hanging(tmp_path, "progress.end()", 2, TRAINYARD_HANG_S="1").returncode == 0


@pytest.mark.integration
def test_before_its_first_step_nothing_hangs(tmp_path: Path):
    code = "import time, trainyard_progress as p; p.Progress().event('load_begin'); time.sleep(2)"
    place = str(Path(str(trainyard_progress.__file__)).parent)
    environment = {"PYTHONPATH": place, "TRAINYARD_PROGRESS": str(tmp_path), "TRAINYARD_HANG_S": "1"}
    assert not subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode


@pytest.mark.integration
def test_the_first_process_of_a_node_shows_its_progress(tmp_path: Path):
    end = "progress.event('save_end', step=2)"
    first = hanging(tmp_path, end, 0, TRAINYARD_SHOW_S="0.000001", LOCAL_RANK="0", AWS_BATCH_JOB_ATTEMPT="2")
    shown = run_progress(shown_progress([f"[default0]:{line}" for line in first.stdout.splitlines()]))
    assert (shown.step, shown.checkpoint, shown.attempt) == (2, 2, 2)
    assert hanging(tmp_path, end, 0, TRAINYARD_SHOW_S="0.000001", LOCAL_RANK="1").stdout == "goes on\n"


def test_lines_of_the_program_itself_are_no_progress():
    log = ['{"step": 9}', f'[default0]: {SHOWN}{{"step": 4}}', SHOWN.strip(), f"{SHOWN}no json"]
    assert run_progress(shown_progress(log)).step == 4
