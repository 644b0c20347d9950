"""A run of torch on the nodes of a lab: something breaks, and it goes on by itself as if nothing had been broken."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from tests.bench.programs.torch_python import fsdp2_python
from tests.node.newer_slurm import ROOT, SID_ROOT
from tests.program import run
from tests.waiting import wait_until
from trainyard.api.run import run_files
from trainyard.lab.lab_process import daemons, job_processes
from trainyard.lab.slurm_programs import slurm_programs
from trainyard.training.run_file import read_run

pytestmark = [
    pytest.mark.integration,
    pytest.mark.enable_socket,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: a Slurm of its own takes root"),
]
STEPS, INTERVAL = 50, 5
SPEC = """\
name: {name}
platform: parallelcluster
region: us-east-2
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.2xlarge}}
queues:
  - {{name: cpu, instance_type: m5.large, nodes: 6}}
file_systems:
  - {{mount: {folder}/fsx, lustre: {{size_gib: 4800, throughput_mb_s_per_tib: 250}}}}
"""
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


class Training(NamedTuple):
    """A run in a lab."""

    folder: Path
    lab: str
    root: Path | None
    seed: int = 0
    """Chooses the nodes that faults are done to."""

    @property
    def variables(self) -> dict[str, str]:
        own = self.folder / "labs" / self.lab
        path = f"{own / 'bin'}:{os.environ['PATH']}"
        return {**os.environ, "TRAINYARD_STATE": str(self.folder), "SLURM_CONF": f"{own}/slurm.conf", "PATH": path}

    def slurm(self, *words: str) -> str:
        done = subprocess.run(
            words, env=self.variables, cwd=self.folder / "job", capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def submit(self) -> str:
        return self.slurm("sbatch", "--parsable", "survivor.sbatch")

    def state(self, job: str) -> str:
        try:
            return self.slurm("squeue", "--noheader", "--states=all", f"--jobs={job}", "--format=%T")
        except subprocess.CalledProcessError as error:
            if error.returncode != -signal.SIGPIPE:  # the squeue of 22.05 dies of it where slurmctld is very busy
                raise
            return ""

    def nodes(self, job: str) -> list[str]:
        named = self.slurm("squeue", "--noheader", f"--jobs={job}", "--format=%N")
        return self.slurm("scontrol", "show", "hostnames", named).split() if named else []

    def others(self, job: str, count: int = 1) -> list[str]:
        """Return nodes of the run but its first, which has rank 0."""
        return Random(self.seed).sample(self.nodes(job)[1:], count)

    def break_node(self, node: str, how: str) -> None:
        done = run("lab", "break", node, "--how", how, variables=self.variables)
        assert done.status == 0, done.err

    def steps(self) -> list[dict[str, float]]:
        file = self.folder / "fsx" / "survivor" / "progress" / "rank-0.jsonl"
        if not file.exists():
            return []
        lines = (json.loads(line) for line in file.read_text().splitlines() if line.endswith("}"))
        return [line for line in lines if "loss" in line]

    def losses(self) -> dict[int, float]:
        return {int(line["step"]): line["loss"] for line in self.steps()}

    def told(self) -> str:
        return "".join(file.read_text() for file in self.folder.glob("**/*_[0-9]*.out"))


def started(folder: Path, root: Path | None, strategy: str = "fsdp", seed: int = 0) -> Training:
    name = f"run{os.getpid()}"
    (folder / "fsx").mkdir()
    (folder / "cluster.yaml").write_text(SPEC.format(name=name, folder=folder))
    python = fsdp2_python()
    (folder / "run.yaml").write_text(
        RUN.format(
            port=10000 + os.getpid() % 7000,
            folder=folder,
            strategy=strategy,
            python=python,
            steps=STEPS,
            interval=INTERVAL,
        )
    )
    place = Path(python).parents[1].resolve()
    if root is not None and not _runs_in(root, python, place):
        pytest.skip(f"hardware: the torch of this machine does not run within {root.name}")
    newer = [] if root is None else ["--root", str(root), "--share", str(place)]
    words = ("lab", "up", str(folder / "cluster.yaml"), *newer)
    done = run(*words, variables={**os.environ, "TRAINYARD_STATE": str(folder)})
    assert done.status == 0, done.err
    training = Training(folder, name, root, seed)
    read = read_run(str(folder / "run.yaml"))
    (folder / "job").mkdir()
    for file, text in run_files(read.run, read.spec).items():
        # As `run submit` asks for it where the Slurm is new enough.
        expedited = text.replace("SBATCH --requeue\n", "SBATCH --requeue=expedite\n")
        (folder / "job" / file).write_text(expedited if root == SID_ROOT else text)
    return training


def _runs_in(root: Path, python: str, place: Path) -> bool:
    programs = slurm_programs(str(root), [str(place)])
    text = programs.script(Path("/tmp"), python)
    return not subprocess.run(["bash", "-c", text, "lab", "-c", "import torch.distributed"], check=False).returncode


@pytest.fixture(name="folder")
def folder_fixture() -> Iterator[Path]:
    with lab_folder() as made:
        yield made


@contextmanager
def lab_folder() -> Iterator[Path]:
    """Make the folder of a lab, and leave nothing of it."""
    made = Path("/tmp") / f"run-{os.getpid()}"  # names of sockets may not be long
    made.mkdir()
    try:
        yield made
    finally:
        _end(made)


def _end(made: Path) -> None:
    done = run("lab", "down", "--all", variables={**os.environ, "TRAINYARD_STATE": str(made)})
    assert done.status == 0, done.err
    assert daemons(made / "labs") == []
    shutil.rmtree(made)


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


def after(training: Training, step: int) -> None:
    wait_until(lambda: bool(training.steps()) and training.steps()[-1]["step"] >= step, training.told)


def lost_steps(training: Training) -> list[int]:
    """Return how many steps were done once more at each restart."""
    numbers = [int(line["step"]) for line in training.steps()]
    return [one - other + 1 for one, other in pairwise(numbers) if other <= one]


def home(training: Training) -> dict[str, str]:
    """Return the variables of a user whose home is the folder of the run."""
    return {**training.variables, "HOME": str(training.folder), "PWD": str(training.folder)}


def test_a_run_whose_processes_die_on_a_node_goes_on_as_if_nothing_had_been(folder: Path):
    training, here = started(folder, None), ("--local", "--results", str(folder / "results"))
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
    assert all(lost <= INTERVAL + 1 for lost in lost_steps(training))
    assert training.told().count("starting again, for time 1 of 5") == 1


def lose_power(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    training.break_node(node, "kill")
    return {node}


def lose_the_first(training: Training, job: str) -> set[str]:
    node = training.nodes(job)[0]
    training.break_node(node, "kill")
    return {node}


def freeze(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    training.break_node(node, "freeze")
    return {node}


def hang(training: Training, job: str) -> set[str]:
    training.break_node(training.others(job)[0], "freeze-ranks")
    wait_until(lambda: "no rank has told of progress" in training.told(), training.told)
    wait_until(lambda: any((training.folder / "fsx/survivor/attempts").glob("*/stacks/*.txt")), training.told)
    return set()


def sick_and_crash(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    training.break_node(node, "sick")
    training.break_node(node, "kill-ranks")
    return {node}


def crash_twice(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    for time in (1, 2):
        before = len(training.steps())
        wait_until(lambda: training.state(job) == "RUNNING" and node in training.nodes(job), training.told)
        wait_until(lambda seen=before: len(training.steps()) > seen + 2, training.told)  # type: ignore[misc]
        training.break_node(node, "kill-ranks")
        wait_until(lambda number=time: f"starting again, for time {number} of" in training.told(), training.told)  # type: ignore[misc]
    return {node}


def kill_one_rank(training: Training, job: str) -> set[str]:
    processes = job_processes(training.lab, training.others(job)[0])
    rank = next(process for process in processes if process.variables.get("LOCAL_RANK") == "0")
    os.kill(rank.id, 9)
    return set()


def lose_two(training: Training, job: str) -> set[str]:
    nodes = [training.nodes(job)[0], *training.others(job)]
    for node in nodes:
        training.break_node(node, "kill")
    return set(nodes)


def restart_slurmctld(training: Training, job: str) -> set[str]:
    (process,) = (found for found in daemons(training.folder / "labs" / training.lab) if found.name == "slurmctld")
    os.kill(process.id, 9)
    wait_until(lambda: not any(found.id == process.id for found in daemons(training.folder / "labs" / training.lab)))
    training.slurm("slurmctld", "-f", training.variables["SLURM_CONF"])
    training.break_node(training.others(job)[0], "kill-ranks")
    return set()


def requeue_by_hand(training: Training, job: str) -> set[str]:
    training.slurm("scontrol", "requeue", job)
    return set()


FAULTS: dict[str, Callable[[Training, str], set[str]]] = {
    fault.__name__: fault
    for fault in (
        lose_power, lose_the_first, lose_two, freeze, hang, sick_and_crash, crash_twice, kill_one_rank,
        restart_slurmctld, requeue_by_hand,
    )
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("root", [None, ROOT, SID_ROOT], ids=["debian-12", "debian-13", "sid"])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_run_goes_on_by_itself_without_the_node_that_failed(
    folder: Path, fault: Callable[[Training, str], set[str]], root: Path | None
):
    survives(started(folder, root), fault, 12)


def survives(training: Training, fault: Callable[[Training, str], set[str]], step: int) -> None:
    """Inject a fault behind a step. Raises AssertionError where the run does not end as if nothing had been."""
    job = training.submit()
    after(training, step)
    without = fault(training, job)
    wait_until(lambda: training.state(job) == "COMPLETED", training.told)
    assert training.losses() == pytest.approx(undisturbed(training.folder), rel=1e-4)
    assert all(lost <= INTERVAL + 1 for lost in lost_steps(training))
    last = {line["node"] for line in training.steps()[-5:]}
    assert not without & last
