"""Injects a series of faults into a run of a stand-in for training on a lab, one after the other, and judges each.

    unshare --net python -m tests.lab.fault_series FAULT...

It prints a line of JSON for each fault. A run that does not recover ends, and the next fault gets another lab.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.lab.stand_in_trainer import INTERVAL, RANKS_PER_NODE, first_states, loss_of, next_state
from tests.lab.training_faults import FAULTS, WITHOUT_RESTART
from tests.lab.training_lab import Training, after, lab_folder, lost_steps, restarts_of, started
from tests.node.newer_slurm import ROOT, SID_ROOT
from tests.waiting import wait_until

SLURMS = {"debian-12": None, "debian-13": ROOT, "sid": SID_ROOT}
_NODES, _SPARE = 4, 6
_RUN = """\
kind: run
name: survivor
cluster: cluster.yaml
nodes: {nodes}
spare_nodes: {spare}
program: {{script: {python} {trainer} {folder}/fsx/survivor/checkpoints {folder}/end}}
checkpoints: {{folder: {folder}/fsx, interval_min: 5, write_s: 1}}
time_limit_h: 3
restarts: {{most: 500, hang_min: 0.5, before_end_min: 2}}
"""


class Outcome(NamedTuple):
    """What became of a fault."""

    fault: str
    slurm: str
    recovered: bool
    seconds: float
    lost_steps: int
    cause: str


def series(faults: Sequence[str], slurm: str, seed: int) -> Iterator[Outcome]:
    """Inject faults one after the other, into one run as long as it recovers."""
    left = list(faults)
    while left:
        with _small_folder() as folder:
            training = _started(folder, slurm, seed + len(left))
            job = training.submit()
            while left:
                outcome = _injected(training, job, left.pop(0), slurm)
                yield outcome
                if not outcome.recovered:
                    break
            else:
                _end(training, job)


def excess(restarts: Sequence[tuple[int, int]], told: str, fault: str) -> list[str]:
    """Return in words which restarts lost more than they may, of the last step before each and the one it went on with.

    Each checkpoint between the two that could not be written, also before the fault, or was damaged costs an interval.
    """
    missed = {int(step) for step in re.findall(r"no checkpoint of step (\d+)", told)}
    found = []
    for last, first in restarts:
        gone = sum(first < step <= last + 1 for step in missed) + (fault == "damage_checkpoint")
        lost, most = last - first + 1, INTERVAL * (1 + gone) + 1
        if lost > most:
            found.append(f"lost steps: {lost}, of {most} at most, behind step {last}")
    return found


@contextmanager
def _small_folder() -> Iterator[Path]:
    """Make the folder of a lab, with a file system for checkpoints that can be full."""
    with lab_folder() as folder:
        (folder / "fsx").mkdir()
        small = ("mount", "-t", "tmpfs", "-o", "size=48m,nr_inodes=4096", "small", str(folder / "fsx"))
        subprocess.run(small, check=True)
        try:
            yield folder
        finally:
            subprocess.run(("umount", "--lazy", str(folder / "fsx")), check=True)


def _started(folder: Path, slurm: str, seed: int) -> Training:
    trainer = Path(__file__).with_name("stand_in_trainer.py")
    (folder / trainer.name).write_text(trainer.read_text())
    text = _RUN.format(
        nodes=_NODES, spare=_SPARE, python=Path(sys.executable).resolve(), trainer=folder / trainer.name, folder=folder
    )
    training = started(folder, SLURMS[slurm], text, nodes=_NODES + _SPARE, seed=seed)
    # A frozen slurmd takes connections and never answers; a lab waits for one as long as 1,000 on one machine may take.
    # Where many labs share a machine, one that is only late is not down yet.
    conf = Path(training.variables["SLURM_CONF"])
    settings = conf.read_text().replace("MessageTimeout=60", "MessageTimeout=15")
    conf.write_text(settings.replace("SlurmdTimeout=10", "SlurmdTimeout=30"))
    training.slurm("scontrol", "reconfigure")
    return training


def _injected(training: Training, job: str, fault: str, slurm: str) -> Outcome:
    begin_s, known, cause = time.monotonic(), len(training.steps()), ""
    try:
        step = training.steps()[-1]["step"] if known else 0
        after(training, int(step) + Random(f"{training.seed} {known}").randrange(INTERVAL, 2 * INTERVAL))
        known = len(training.steps())
        begin_s = time.monotonic()
        _judge(training, job, fault, known)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the cause that is counted
        cause = f"{type(error).__name__}: {error}"[-3000:]
    seconds = round(time.monotonic() - begin_s, 1)
    lost = max(lost_steps(training.steps()[known - 1 :]), default=0) if known else 0
    return Outcome(fault, slurm, not cause, seconds, lost, cause)


def _judge(training: Training, job: str, fault: str, known: int) -> None:
    """Inject a fault and wait until the run goes on. Raises AssertionError where it does not as it has to."""
    before = 0 if fault in WITHOUT_RESTART else training.restarts(job) + 1
    without = FAULTS[fault](training, job)
    reached = len(training.steps())

    def goes_on() -> bool:
        time.sleep(0.5)
        lines = training.lines(0)
        begins = [number for number, line in enumerate(lines) if line.get("event") == "start"]
        done = [line for line in lines[begins[-1] :] if "loss" in line]
        is_new = int(lines[begins[-1]].get("attempt", 0)) >= before and len(training.steps()) > reached
        return is_new and len(done) > INTERVAL and not without & set(training.nodes(job))

    wait_until(goes_on, lambda: f"{training.told()[-2000:]}: {training.state(job)}")
    too_many = excess(restarts_of(training.steps()[known - 1 :]), training.told(), fault)
    assert not too_many, "; ".join(too_many)
    _compare(training)
    nodes = {training.lines(rank)[-1]["node"] for rank in range(_NODES * RANKS_PER_NODE)}
    assert not without & nodes, f"{without & nodes} is still in the run"
    for node in without:
        training.break_node(node, "nothing")


def _compare(training: Training) -> None:
    """Raise AssertionError where losses differ from those of a run that nothing disturbs."""
    states, expected = first_states(_NODES * RANKS_PER_NODE), []
    lines = training.steps()
    for _ in range(1 + max(int(line["step"]) for line in lines)):
        total = sum(states)
        states = [next_state(state, rank, total) for rank, state in enumerate(states)]
        expected.append(loss_of(total, len(states)))
    wrong = [line for line in lines if line["loss"] != expected[int(line["step"])]]
    assert not wrong, f"wrong losses: {wrong[:3]}"


def _end(training: Training, job: str) -> None:
    (training.folder / "end").touch()
    wait_until(lambda: training.state(job) == "COMPLETED", training.told)


def main() -> None:
    """Print what becomes of each fault."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("faults", nargs="+", choices=FAULTS)
    arguments.add_argument("--slurm", choices=SLURMS, default="sid")
    arguments.add_argument("--seed", type=int, default=1)
    chosen = arguments.parse_args()
    # In a network of its own, so that labs beside it may have the same ports.
    subprocess.run(("ip", "link", "set", "lo", "up"), check=True)
    # Where a machine has only 127.0.0.1, newer glibc finds no name: TEST-NET-1, https://www.rfc-editor.org/rfc/rfc5737
    subprocess.run(("ip", "address", "add", "192.0.2.1/32", "dev", "lo"), check=True)
    for outcome in series(chosen.faults, chosen.slurm, chosen.seed):
        sys.stdout.write(json.dumps(outcome._asdict()) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
