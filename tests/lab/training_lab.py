"""A run of training in a lab of its own: started on its nodes, looked at, and nothing of it left."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.node.newer_slurm import SID_ROOT
from tests.program import run
from tests.waiting import wait_until
from trainyard.api.run import run_files
from trainyard.lab.lab_process import daemons
from trainyard.training.run_file import read_run
from trainyard.training.slurm_job import RUNS_FOLDER

SPEC = """\
name: {name}
platform: parallelcluster
region: us-east-2
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.2xlarge}}
queues:
  - {{name: cpu, instance_type: m5.large, nodes: {nodes}}}
file_systems:
  - {{mount: {folder}/fsx, lustre: {{size_gib: 4800, throughput_mb_s_per_tib: 250}}}}
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

    def restarts(self, job: str) -> int:
        """Return how often Slurm has started the job again."""
        said = self.slurm("scontrol", "--oneliner", "show", "job", job)
        return int(dict(word.partition("=")[::2] for word in said.split())["Restarts"])

    def break_node(self, node: str, how: str) -> None:
        done = run("lab", "break", node, "--how", how, variables=self.variables)
        assert done.status == 0, done.err

    @property
    def own(self) -> Path:
        """The folder of the run, with its checkpoints and its progress."""
        return self.folder / "fsx" / "survivor"

    def steps(self) -> list[dict[str, float]]:
        return [line for line in self.lines(0) if "loss" in line]

    def lines(self, rank: int) -> list[dict[str, Any]]:
        """Return what a rank has told of."""
        file = self.own / "progress" / f"rank-{rank}.jsonl"
        told = file.read_text().splitlines() if file.exists() else []
        found = []
        for line in told:
            with suppress(ValueError):  # half a line of a rank that was killed, or of a full disk
                found.append(json.loads(line))
        return found

    def losses(self) -> dict[int, float]:
        return {int(line["step"]): line["loss"] for line in self.steps()}

    def told(self) -> str:
        # Not below the checkpoints, which go while they are looked at.
        places = (self.folder / "job", self.folder / RUNS_FOLDER)
        return "".join(file.read_text() for place in places for file in place.glob("**/*_[0-9]*.out"))


def started(  # noqa: PLR0913  what a lab and its run are made of
    folder: Path, root: Path | None, run_text: str, *, nodes: int, share: Sequence[Path] = (), seed: int = 0
) -> Training:
    """Start a lab with so many nodes, and write the run of a text and the files of its job."""
    name = f"run{os.getpid()}"
    (folder / "fsx").mkdir(exist_ok=True)
    (folder / "cluster.yaml").write_text(SPEC.format(name=name, folder=folder, nodes=nodes))
    (folder / "run.yaml").write_text(run_text)
    shared = [word for place in share for word in ("--share", str(place))]
    newer = [] if root is None else ["--root", str(root), *shared]
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


def after(training: Training, step: int) -> None:
    wait_until(lambda: bool(training.steps()) and training.steps()[-1]["step"] >= step, training.told)


def lost_steps(lines: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return how many steps were done once more at each restart."""
    return [last - first + 1 for last, first in restarts_of(lines)]


def restarts_of(lines: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Return for each restart the last step before it, and the one that it went on with."""
    numbers = [int(line["step"]) for line in lines]
    return [(last, first) for last, first in pairwise(numbers) if first <= last]
