"""Slurm's commands, and what they answer: https://slurm.schedmd.com/man_index.html."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trainyard.edge.remote_command import CommandResult
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, word_or_quoted
from trainyard.submission.head_node import HeadNodeConnection
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import GONE, JobState

_NUMBER = re.compile(r"\d+")
_NOT_FOUND = 127
_MARK = "trainyard-bench"


def submit(head: HeadNodeConnection, folder: str, job: PlannedJob, token: str, after: str | None) -> str:
    """Submit a job and return its number. It begins when the job ``after`` has ended: two would measure each other.

    Raises TrainyardError where Slurm refuses it.
    """
    waits = () if after is None else (f"--dependency=afterany:{after}",)
    # Scripts of jobs look for each other in the folder that sbatch was called in: SLURM_SUBMIT_DIR.
    called = ("env", f"--chdir={folder}", "sbatch", "--parsable", *(() if job.requeued else ("--no-requeue",)))
    place = (f"--chdir={folder}", f"--output={folder}/{job.id}_%j.out", f"--comment={_MARK}:{token}:{job.id}")
    script = (f"{folder}/{job.script}", *job.arguments)
    answer = _slurm(head, (*called, *place, *waits, *job.options, *script))
    number = answer.text.strip().splitlines()[-1].split(";")[0] if answer.text.strip() else ""
    if answer.status or not _NUMBER.fullmatch(number):
        raise _refused(job, answer)
    return number


def states(head: HeadNodeConnection, numbers: Sequence[str]) -> dict[str, JobState]:
    """Return how jobs are. What squeue has forgotten, sacct is asked for; GONE where that has no accounts."""
    if not numbers:
        return {}
    command = ("squeue", "--noheader", "--states=all", f"--jobs={','.join(numbers)}", "--format=%i|%T|%r|%N")
    answer = _slurm(head, command)
    if answer.status and "Invalid job id" not in answer.message:
        raise _failed("squeue", answer)
    states = {
        number: JobState(state, _reason(reason), nodes) for number, state, reason, nodes in _fields(answer.text, 4)
    }
    forgotten = [number for number in numbers if number not in states]
    return states | (_accounted(head, forgotten) if forgotten else {})


def submitted_before(head: HeadNodeConnection, folder: str, token: str) -> dict[str, str]:
    """Return the numbers of jobs that Slurm has of a submission, by job: also those that nobody here remembers."""
    answer = _slurm(head, ("squeue", "--noheader", "--states=all", "--format=%i|%T|%N|%k"))
    if answer.status:
        raise _failed("squeue", answer)
    written = head.run(("find", folder, "-maxdepth", "1", "-name", "*_*.out", "-printf", "%f\\n"))
    by_output = (name.removesuffix(".out").rpartition("_") for name in written.text.split())
    begins = f"{_MARK}:{token}:"
    by_mark = (
        (mark, number)
        for number, state, nodes, mark in _fields(answer.text, 4)
        # Slurm shows for a while what it has refused.
        if mark.startswith(begins) and (nodes or state != "FAILED")
    )
    numbers: dict[str, str] = {}
    for id_, number in (*((id_, number) for id_, _, number in by_output), *by_mark):
        if _NUMBER.fullmatch(number):  # the last, of a job that was submitted again
            key = id_.removeprefix(begins)
            numbers[key] = max(numbers.get(key, number), number, key=int)
    return numbers


def cancel(head: HeadNodeConnection, numbers: Sequence[str]) -> None:
    """Take jobs back. Those that have ended already stay as they are."""
    answer = _slurm(head, ("scancel", *numbers))
    if answer.status and "Invalid job id" not in answer.message:
        raise _failed("scancel", answer)


def _accounted(head: HeadNodeConnection, numbers: Sequence[str]) -> dict[str, JobState]:
    """Return what Slurm's accounts say of jobs; many clusters have none."""
    command = ("sacct", "--noheader", "--parsable2", "--allocations", f"--jobs={','.join(numbers)}")
    answer = head.run((*command, "--format=JobIDRaw,State,ExitCode,NodeList"))
    accounted: dict[str, JobState] = {}
    for number, state, exit_code, nodes in () if answer.status else _fields(answer.text, 4):
        # CANCELLED by 1000
        accounted[number] = JobState(
            state.split(" ")[0] or GONE, "" if exit_code == "0:0" else f"exit code {exit_code}", nodes
        )
    return {number: accounted.get(number, JobState(GONE)) for number in numbers}


def _fields(text: str, count: int) -> Iterable[list[str]]:
    lines = (line.strip().split("|", count - 1) for line in text.splitlines())
    return (fields for fields in lines if len(fields) == count and _NUMBER.fullmatch(fields[0]))


def _reason(written: str) -> str:
    return "" if written in {"None", "(null)"} else word_or_quoted(written)


def _slurm(head: HeadNodeConnection, command: Sequence[str]) -> CommandResult:
    """Run a command of Slurm. Raises TrainyardError where there is none."""
    answer = head.run(command)
    if answer.status == _NOT_FOUND:
        program = "sbatch" if command[0] == "env" else command[0]
        raise TrainyardError(
            f"there is no {program} on {head.words}",
            where=head.words,
            hint="name a machine where Slurm is: the head node or a login node of the cluster",
        )
    return answer


def _refused(job: PlannedJob, answer: CommandResult) -> TrainyardError:
    reason = answer.message.removeprefix("sbatch: error: ")
    hint = f"`sinfo` on the head node shows what the queue {job.queue} has; jobs that were submitted before go on"
    return TrainyardError(f"Slurm refuses {job.id}: {quoted(reason)}", where=job.id, hint=hint)


def _failed(program: str, answer: CommandResult) -> TrainyardError:
    hint = "`scontrol ping` on the head node says whether slurmctld runs; then repeat the command"
    return TrainyardError(f"{program} failed: {quoted(answer.message)}", where=program, hint=hint)
