"""Following jobs on a head node that is scripted: lost connections, forgotten jobs, accounts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from trainyard.edge.remote_command import CommandResult, UnreachableError
from trainyard.errors import TrainyardError
from trainyard.submission.job_progress import JobsInProgress, follow
from trainyard.submission.on_slurm import OnSlurm
from trainyard.submission.scheduler import JobState
from trainyard.submission.slurm import states


class Scripted:
    """A head node that answers one after the other, and the last again and again."""

    words, block_bytes, is_here = "head", 1000, False

    def __init__(self, **answers: list[CommandResult | Exception]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def run(self, arguments: Sequence[str], content: bytes = b"") -> CommandResult:  # noqa: ARG002  as the real ones are called
        self.asked.append(arguments[0])
        left = self.answers[arguments[0]]
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Quick:
    """Time goes by without waiting."""

    at = 0.0

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def says(text: str, status: int = 0, error: str = "") -> CommandResult:
    return CommandResult(status, text.encode(), error)


AWAY = UnreachableError("the head node is away")
RUNNING, COMPLETED = says("7|RUNNING|None|q-[1-2]\n"), says("7|COMPLETED|None|q-[1-2]\n")


def followed(head: Scripted, within_s: float = 3600) -> tuple[list[str], list[JobState]]:
    """Follow job 7 and return what was told, and how it ended."""
    told: list[str] = []
    ended: list[JobState] = []
    follow(
        JobsInProgress(OnSlurm(head), {"a": "7"}, told.append, lambda _, state: ended.append(state)),
        Quick(),
        within_s,
        15,
    )
    return told, ended


def test_each_change_is_told_once():
    told, ended = followed(Scripted(squeue=[says("7|PENDING|Resources|\n"), RUNNING, RUNNING, COMPLETED]))
    assert told == ["a: pending (Resources)", "a: running on q-[1-2]", "a: completed on q-[1-2]"]
    assert ended == [JobState("COMPLETED", "", "q-[1-2]")]


def test_a_connection_that_comes_back_is_gone_on_with():
    told, _ = followed(Scripted(squeue=[RUNNING, AWAY, AWAY, COMPLETED]))
    assert told[1:3] == ["the head node is away; trying again"] * 2
    assert told[-1] == "a: completed on q-[1-2]"


def test_a_head_node_that_stays_away_ends_it():
    head = Scripted(squeue=[RUNNING, AWAY])
    with pytest.raises(UnreachableError):
        followed(head)
    assert len(head.asked) == 7


def test_a_job_that_waits_for_its_time_limit_is_not_followed_for_ever():
    with pytest.raises(TrainyardError, match="a not ended after 10 min"):
        followed(Scripted(squeue=[RUNNING]), within_s=600)


@pytest.mark.parametrize(
    ("reason", "said"),
    [("PartitionDown", "its queue is down"), ("JobHeldAdmin", "it is held, by an administrator"),
     ("BadConstraints", "no node can ever fulfil what it asks for")],
)  # fmt: skip
def test_a_job_that_nobody_but_a_person_can_start_is_an_error(reason: str, said: str):
    with pytest.raises(TrainyardError, match=said) as told:
        followed(Scripted(squeue=[says(f"7|PENDING|{reason}|\n")]))
    assert "scontrol show job 7" in str(told.value.hint)


@pytest.mark.parametrize(
    ("accounts", "state"),
    [
        (says("7|COMPLETED|0:0|q-[1-2]\n"), JobState("COMPLETED", "", "q-[1-2]")),
        (says("7|FAILED|1:0|q-1\n"), JobState("FAILED", "exit code 1:0", "q-1")),
        (says("7|CANCELLED by 1000|0:15|None assigned\n"), JobState("CANCELLED", "exit code 0:15", "None assigned")),
        (says("", 1, "Slurm accounting storage is disabled"), JobState("GONE")),
        (says("", 127, "sacct: command not found"), JobState("GONE")),
        (says(""), JobState("GONE")),
    ],
)
def test_a_job_that_slurm_has_forgotten_is_looked_up_in_its_accounts(accounts: CommandResult, state: JobState):
    forgotten = says("", 1, "slurm_load_jobs error: Invalid job id specified")
    assert states(Scripted(squeue=[forgotten], sacct=[accounts]), ["7"]) == {"7": state}


def test_a_controller_that_does_not_answer_is_told():
    away = says("", 1, "slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
    with pytest.raises(TrainyardError, match=r"squeue failed: .*Unable to contact slurm controller"):
        states(Scripted(squeue=[away]), ["7"])
