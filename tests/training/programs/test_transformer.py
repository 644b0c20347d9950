"""The transformer on CPUs: a rank is killed, the run is started again, and nothing but time is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.bench.programs.torch_python import fsdp2_python
from tests.training.test_carried_programs import unpacked
from tests.waiting import wait_until
from trainyard.training.programs import trainyard_progress

PROGRAM = Path(trainyard_progress.__file__).with_name("transformer.py")
STEPS, INTERVAL = 14, 4
SMALL = ("--layers", "2", "--width", "32", "--heads", "2", "--context", "16", "--vocabulary", "64",
         "--global-batch", "8", "--steps", str(STEPS), "--interval-steps", str(INTERVAL))  # fmt: skip


def started(
    folder: Path, strategy: str, *more: str, ranks: int = 2, stop: Path | None = None, program: Path = PROGRAM
) -> subprocess.Popen[str]:
    own = {"TRAINYARD_PROGRESS": str(folder / "progress"), "OMP_NUM_THREADS": "1", "TRAINYARD_STOP": str(stop or "")}
    launcher = (fsdp2_python(), "-W", "ignore", "-m", "torch.distributed.run", "--standalone")
    command = (*launcher, f"--nproc-per-node={ranks}", str(program), "--strategy", strategy)
    return subprocess.Popen(
        (*command, "--checkpoints", str(folder / "checkpoints"), *SMALL, *more),
        env=os.environ | own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def finished(run: subprocess.Popen[str]) -> str:
    output = run.communicate(timeout=300)[0]
    assert run.returncode == 0, output[-3000:]
    return output


def lines(folder: Path, rank: int = 0) -> list[dict[str, Any]]:
    file = folder / "progress" / f"rank-{rank}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def losses(folder: Path) -> dict[int, float]:
    """Return the last loss of each step."""
    return {line["step"]: line["loss"] for line in lines(folder) if "loss" in line}


def ranks_of(run: subprocess.Popen[str]) -> list[int]:
    tasks = Path(f"/proc/{run.pid}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


@pytest.mark.integration
@pytest.mark.parametrize(
    "strategy", ["fsdp", pytest.param("ddp", marks=pytest.mark.exhaustive)]
)  # fmt: skip
def test_a_run_whose_rank_is_killed_goes_on_with_the_losses_of_one_that_was_not(tmp_path: Path, strategy: str):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    finished(started(whole, strategy))
    first = started(killed, strategy, "--least-step-s", "0.3")
    wait_until(lambda: any(line.get("event") == "save_end" for line in lines(killed, 1)))
    os.kill(ranks_of(first)[-1], signal.SIGKILL)
    first.communicate(timeout=120)
    assert first.returncode != 0
    half_written = killed / "checkpoints" / "step-000000012.partial"
    half_written.mkdir()
    damaged = killed / "checkpoints" / "step-000000013"
    damaged.mkdir()
    (damaged / "manifest.json").write_text('{"__0_0.distcp": 10}')

    told = finished(started(killed, strategy))

    assert "step-000000013 is not whole" in told
    assert not half_written.exists()
    (loaded,) = (line["step"] for line in lines(killed) if line.get("event") == "load_end")
    assert loaded in range(INTERVAL, STEPS, INTERVAL)
    assert list(losses(killed)) == list(range(STEPS))
    assert losses(killed) == pytest.approx(losses(whole), rel=1e-4)


@pytest.mark.integration
def test_a_wish_to_stop_leaves_a_checkpoint_and_the_run_goes_on_with_fewer_ranks(tmp_path: Path):
    stop = tmp_path / "stop"
    stop.touch()
    assert "stopped as was asked" in finished(started(tmp_path, "fsdp", stop=stop))
    assert lines(tmp_path)[-1]["reason"] == "signal"
    # As a container of AWS Batch is handed it.
    for name, text in unpacked("trainyard_progress.py", "transformer.py").items():
        (tmp_path / name).write_text(text)
    assert "from step 1" in finished(started(tmp_path, "fsdp", ranks=1, program=tmp_path / "transformer.py"))
    assert list(losses(tmp_path)) == list(range(STEPS))
