"""Following jobs until they have ended: bounded, patient with a connection that breaks, and told on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from trainyard.edge.remote_command import UnreachableError
from trainyard.errors import TrainyardError
from trainyard.submission.scheduler import JobState, Scheduler

# Jobs that Slurm will not start before somebody changes something.
# https://slurm.schedmd.com/job_reason_codes.html
_STUCK = {
    "PartitionDown": "its queue is down",
    "PartitionInactive": "its queue is inactive",
    "PartitionNodeLimit": "it wants more nodes than its queue allows",
    "PartitionTimeLimit": "it wants more time than its queue allows",
    "BadConstraints": "no node can ever fulfil what it asks for",
    "JobHeldAdmin": "it is held, by an administrator or because a node could not be started for it",
    "JobHeldUser": "it is held by its user",
    "DependencyNeverSatisfied": "it waits for a job that will never end as it should",
    "AccountNotAllowed": "its account may not use this queue",
    "InvalidAccount": "its account is not known to Slurm",
    "InvalidQOS": "its quality of service is not known to Slurm",
}
_FAILURES_ALLOWED = 5


class JobClock(Protocol):
    """The time, of the real world or of a test."""

    def now(self) -> float:
        """Return seconds."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class JobsInProgress(NamedTuple):
    """What is followed."""

    scheduler: Scheduler
    numbers: Mapping[str, str]
    """The scheduler's, by job."""
    tell: Callable[[str], None]
    ended: Callable[[str, JobState], None]
    """Called for each job once it has ended."""
    going: Callable[[str], None] = lambda _: None
    """Called for each job that has not, after each look at it."""


def follow(what: JobsInProgress, clock: JobClock, within_s: float, every_s: float) -> None:
    """Return once all have ended.

    Raises TrainyardError where one cannot start, the scheduler is gone for good, or the time is over.
    """
    end, last_states, failures = clock.now() + within_s, dict[str, JobState](), 0
    while True:
        left = {
            id_: number for id_, number in what.numbers.items() if id_ not in last_states or not last_states[id_].ended
        }
        if not left:
            return
        try:
            states = what.scheduler.states(list(left.values()))
            failures = 0
        except UnreachableError as error:
            failures += 1
            if failures > _FAILURES_ALLOWED:
                raise
            what.tell(f"{error.problem}; trying again")
            clock.sleep(every_s * failures)
            continue
        for id_, number in left.items():
            _changed(what, id_, last_states.get(id_), states[number])
            last_states[id_] = states[number]
            if not states[number].ended:
                what.going(id_)
        _refuse_stuck({id_: (number, last_states[id_]) for id_, number in left.items()})
        _refuse_late(clock.now() >= end, [id_ for id_ in left if not last_states[id_].ended], within_s)
        if any(not last_states[id_].ended for id_ in left):
            clock.sleep(every_s)


def _changed(what: JobsInProgress, id_: str, before: JobState | None, now: JobState) -> None:
    if before != now:
        reason = f" ({now.reason})" if now.reason else ""
        nodes = f" on {now.nodes}" if now.nodes else ""
        what.tell(f"{id_}: {now.state.lower()}{reason}{nodes}")
    if now.ended:
        what.ended(id_, now)


def _refuse_stuck(numbered_states: Mapping[str, tuple[str, JobState]]) -> None:
    for id_, (number, state) in numbered_states.items():
        why = _STUCK.get(state.reason.strip('"').split(",")[0]) if not state.ended else None
        if why is not None:
            raise TrainyardError(
                f"{id_} (job {number}) does not start: {why} ({state.reason})",
                where=id_,
                hint=f"`scontrol show job {number}` and `sinfo` on the head node say more; correct it and repeat the "
                "command, or take the jobs back with --cancel",
            )


def _refuse_late(late: bool, left: list[str], within_s: float) -> None:  # noqa: FBT001  said by the only caller
    if late and left:
        raise TrainyardError(
            f"{', '.join(left)} not ended after {within_s / 60:.0f} min",
            where=left[0],
            hint="the jobs go on: repeat the command to follow them, or take them back with --cancel",
        )
