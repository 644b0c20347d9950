"""A run of torch on the nodes of a lab: something breaks, and it goes on by itself as if nothing had been broken."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.programs.torch_python import fsdp2_python
from tests.lab.training_faults import FAULTS
from tests.lab.training_lab import Training, after, lab_folder, lost_steps, started
from tests.node.newer_slurm import ROOT, SID_ROOT
from tests.program import run
from tests.waiting import wait_until
from trainyard.lab.slurm_programs import slurm_programs
from trainyard.training.run_file import read_run

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
STEPS, INTERVAL = 50, 5
WITH_TORCH = (
    "lose_power", "lose_the_first", "lose_two", "freeze", "hang", "sick_and_crash", "crash_twice", "kill_one_rank",
    "restart_slurmctld", "requeue_by_hand",
)  # fmt: skip
RUN = """\
kind: run
name: survivor
cluster: cluster.yaml
nodes: 4
spare_nodes: 2
program:
  template: {strategy}
  python: {python}
  arguments: [--layers=1, --width=32, --heads=2, --context=16, --vocabulary=64, --global-batch=8, --steps={steps},
              --interval-steps={interval}, --least-step-s=0.2]
environment: {{GLOO_SOCKET_IFNAME: lo, OMP_NUM_THREADS: "1", MASTER_PORT: "{port}"}}
checkpoints: {{folder: {folder}/fsx, interval_min: 5, write_s: 1}}
time_limit_h: 1
restarts: {{most: 5, hang_min: 0.25, before_end_min: 2}}
"""


def started_torch(folder: Path, root: Path | None) -> Training:
    python = fsdp2_python()
    text = RUN.format(
        port=10000 + os.getpid() % 7000, folder=folder, strategy="fsdp", python=python, steps=STEPS, interval=INTERVAL
    )
    place = Path(python).parents[1].resolve()
    if root is not None and not _runs_in(root, python, place):
        pytest.skip(f"hardware: the torch of this machine does not run within {root.name}")
    return started(folder, root, text, nodes=6, share=[place])


def _runs_in(root: Path, python: str, place: Path) -> bool:
    programs = slurm_programs(str(root), [str(place)])
    text = programs.script(Path("/tmp"), python)
    return not subprocess.run(["bash", "-c", text, "lab", "-c", "import torch.distributed"], check=False).returncode


@pytest.fixture(name="folder")
def folder_fixture() -> Iterator[Path]:
    with lab_folder() as made:
        yield made


def undisturbed(folder: Path, strategy: str = "fsdp") -> dict[int, float]:
    """Return the losses of the same run with four processes and nothing around them."""
    files = read_run(str(folder / "run.yaml"))
    (program,) = (folder / "job").glob("transformer.py")
    words = [word for word in files.run.program.arguments if not word.startswith("--least-step-s")]
    launcher = (
        files.run.program.python,
        "-W",
        "ignore",
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node=4",
    )
    own = {"TRAINYARD_PROGRESS": str(folder / "alone"), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    command = (*launcher, str(program), "--strategy", strategy, "--checkpoints", str(folder / "alone" / "c"), *words)
    subprocess.run(command, env=os.environ | own, check=True, capture_output=True)
    lines = map(json.loads, (folder / "alone" / "rank-0.jsonl").read_text().splitlines())
    return {line["step"]: line["loss"] for line in lines if "loss" in line}


def home(training: Training) -> dict[str, str]:
    """Return the variables of a user whose home is the folder of the run."""
    return {**training.variables, "HOME": str(training.folder), "PWD": str(training.folder)}


def test_a_run_whose_processes_die_on_a_node_goes_on_as_if_nothing_had_been(folder: Path):
    training, here = started_torch(folder, None), ("--local", "--results", str(folder / "results"))
    done = run("run", "submit", str(folder / "run.yaml"), *here, "--json", variables=home(training))
    assert done.status == 0, done.err
    job = json.loads(done.out)["job"]
    after(training, 12)
    training.break_node(training.nodes(job)[2], "kill-ranks")
    wait_until(lambda: training.state(job) == "COMPLETED", training.told)
    done = run("run", "watch", str(folder / "run.yaml"), *here, variables=home(training))
    last = done.out.splitlines()[-1]
    assert (done.status, "completed" in last, f"step {STEPS - 1}" in last, "start 2" in last) == (0, True, True, True)
    assert training.losses() == pytest.approx(undisturbed(folder), rel=1e-4)
    assert "the program has come to its end" in training.told()
    assert all(lost <= INTERVAL + 1 for lost in lost_steps(training.steps()))
    assert training.told().count("starting again, for time 1 of 5") == 1


@pytest.mark.exhaustive
@pytest.mark.parametrize("root", [None, ROOT, SID_ROOT], ids=["debian-12", "debian-13", "sid"])
@pytest.mark.parametrize("fault", WITH_TORCH)
def test_a_run_goes_on_by_itself_without_the_node_that_failed(folder: Path, fault: str, root: Path | None):
    training = started_torch(folder, root)
    job = training.submit()
    after(training, 12)
    without = FAULTS[fault](training, job)
    wait_until(lambda: training.state(job) == "COMPLETED", training.told)
    assert training.losses() == pytest.approx(undisturbed(training.folder), rel=1e-4)
    assert all(lost <= INTERVAL + 1 for lost in lost_steps(training.steps()))
    last = {line["node"] for line in training.steps()[-5:]}
    assert not without & last
