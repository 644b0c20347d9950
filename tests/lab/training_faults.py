"""What is done to a run in a lab: each fault by its name, with the nodes that the run has to go on without."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.lab.training_lab import Training
from tests.waiting import wait_until
from trainyard.lab.lab_process import LabProcess, daemons, job_processes, node_daemon

Fault = Callable[[Training, str], set[str]]
_STACKS = "attempts/*/stacks/*.txt"
_STARTS = "starting again, for time "


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
    stacks, words = set(training.own.glob(_STACKS)), training.told()
    training.break_node(training.others(job)[0], "freeze-ranks")
    wait_until(lambda: "no rank has told of progress" in training.told()[len(words) :], training.told)
    wait_until(lambda: set(training.own.glob(_STACKS)) - stacks, training.told)
    return set()


def sick_and_crash(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    training.break_node(node, "sick")
    training.break_node(node, "kill-ranks")
    return {node}


def crash_twice(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    for _ in range(2):
        before, words = len(training.steps()), training.told()
        wait_until(lambda seen=before: len(training.steps()) > seen + 2, training.told)  # type: ignore[misc]
        if node not in training.nodes(job):  # it goes on elsewhere: nobody can say of the node whether it is ill
            return set()
        training.break_node(node, "kill-ranks")
        wait_until(lambda seen=words: _STARTS in training.told()[len(seen) :], training.told)  # type: ignore[misc]
    return {node}


def kill_one_rank(training: Training, job: str) -> set[str]:
    processes = job_processes(training.lab, training.others(job)[0])
    rank = next(process for process in processes if process.variables.get("LOCAL_RANK") == "0")
    os.kill(rank.id, 9)
    return set()


def kill_ranks(training: Training, job: str) -> set[str]:
    training.break_node(training.others(job)[0], "kill-ranks")
    return set()


def kill_launcher(training: Training, job: str) -> set[str]:
    first = job_processes(training.lab, training.nodes(job)[0])
    _kill([process for process in first if process.name == "srun"])
    return set()


def kill_slurmd(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    _signal_slurmd(training, node, signal.SIGKILL)
    return {node}


def freeze_slurmd(training: Training, job: str) -> set[str]:
    (node,) = training.others(job)
    _signal_slurmd(training, node, signal.SIGSTOP)
    return {node}


def _signal_slurmd(training: Training, node: str, number: signal.Signals) -> None:
    for process in node_daemon(training.folder / "labs" / training.lab, node):
        os.kill(process.id, number)


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


def drain_and_crash(training: Training, job: str) -> set[str]:
    drained, crashed = training.others(job, 2)
    training.slurm("scontrol", "update", f"NodeName={drained}", "State=DRAIN", "Reason=somebody looks at it")
    training.break_node(crashed, "kill-ranks")
    return {drained}


def crash_while_saving(training: Training, job: str) -> set[str]:
    ranks = job_processes(training.lab, training.others(job)[0])
    wait_until(lambda: any((training.own / "checkpoints").glob("*.partial")), training.told)
    _kill(ranks)  # where the checkpoint was whole just before, as any other ranks that are killed
    return set()


def damage_checkpoint(training: Training, job: str) -> set[str]:
    _kill(job_processes(training.lab, training.others(job)[0]))  # none newer is written, and it takes a while to start
    newest = max((training.own / "checkpoints").glob("step-*[0-9]"))
    (file, *_) = (found for found in sorted(newest.iterdir()) if "manifest" not in found.name)
    os.truncate(file, file.stat().st_size // 2)
    return set()


def _kill(hit: list[LabProcess]) -> None:
    for process in hit:
        with suppress(ProcessLookupError):
            os.kill(process.id, signal.SIGKILL)


def fill_folder(training: Training, job: str) -> set[str]:
    with _full(training):
        pass
    return set()


def crash_while_full(training: Training, job: str) -> set[str]:
    ranks = job_processes(training.lab, training.others(job)[0])
    with _full(training):
        words, before = training.told(), training.restarts(job)
        _kill(ranks)
        # Where what was killed has left room for a folder, the next start has begun.
        wait_until(
            lambda: (
                "waits up to" in training.told()[len(words) :]
                or any(training.own.glob(f"attempts/*-{before + 1}/begun"))
            ),
            training.told,
        )
    return set()


@contextmanager
def _full(training: Training) -> Iterator[None]:
    """Fill the file system of the checkpoints until one could not be written."""
    words, filling = training.told(), training.folder / "fsx" / "filling"
    filling.mkdir()
    try:
        with suppress(OSError), (filling / "large").open("wb", buffering=0) as file:
            while file.write(b"x" * 65536):
                pass
        with suppress(OSError):  # no room for the name of another file either
            for number in range(1_000_000):
                (filling / str(number)).touch()
        wait_until(lambda: "no checkpoint" in training.told()[len(words) :], training.told)
        yield
    finally:
        shutil.rmtree(filling)


def take_port(training: Training, job: str) -> set[str]:
    """Let another program have the port of the next start."""
    port = 10000 + (int(job) * 7 + training.restarts(job) + 1) % 7000  # as run-training.sh has it
    with socket.create_server(("127.0.0.1", port)):
        words = training.told()
        training.break_node(training.others(job)[0], "kill-ranks")
        wait_until(lambda: training.told()[len(words) :].count(_STARTS) > 1, training.told)
    return set()


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        lose_power, lose_the_first, lose_two, kill_slurmd, freeze, freeze_slurmd, hang, kill_one_rank, kill_ranks,
        kill_launcher, sick_and_crash, crash_twice, drain_and_crash, requeue_by_hand, restart_slurmctld, take_port,
        crash_while_saving, damage_checkpoint, fill_folder, crash_while_full,
    )
}  # fmt: skip
WITHOUT_RESTART = ("fill_folder",)
"""Those that end no process: the run goes on."""
