"""What a ledger is made of: the starts of a run with their nodes, and what its processes have told of themselves."""

from __future__ import annotations

from array import array
from typing import NamedTuple

KINDS = ("productive", "start-up", "save", "load", "lost", "hang", "slow", "boot", "repair", "idle", "unknown")
"""What time that is paid for can be, in the order of reports. The time in the queue is told beside them."""

MEANINGS = {
    "productive": "steps that count",
    "start-up": "from the start of the job to its first step, and its slower first step",
    "save": "training stands still for a checkpoint",
    "load": "a checkpoint is read",
    "lost": "steps that were done again, or that no checkpoint holds",
    "hang": "no step for far longer than one takes",
    "slow": "what steps took beyond the median, where one took half as long again",
    "boot": "nodes that start",
    "repair": "nodes that have failed and are not used yet",
    "idle": "nodes without the run or behind its end, or GPUs that do nothing",
    "unknown": "nothing says what happened",
}


class Attempt(NamedTuple):
    """One start of a run: from the allocation of its nodes to their release, by the clock of who allocates."""

    run: str
    job: str
    restart: int
    submitted_ms: int | None
    begin_ms: int
    end_ms: int
    is_running: bool
    state: str
    gpus: dict[str, int]

    @property
    def gpu_count(self) -> int:
        """Return how many GPUs are paid for."""
        return sum(self.gpus.values())

    @property
    def has_failed(self) -> bool:
        """Return whether something ended it that nobody had meant."""
        return not self.is_running and self.state.split()[0] in _FAILURES


# https://slurm.schedmd.com/job_state_codes.html, and FAILED of AWS Batch and of pods. A job that is requeued by hand or
# preempted is ended by somebody, and one that times out by its own limit.
_FAILURES = ("NODE_FAIL", "FAILED", "BOOT_FAIL", "OUT_OF_MEMORY", "DEADLINE", "LAUNCH_FAILED", "RECONFIG_FAIL")


class NodeSpan(NamedTuple):
    """A node as long as it is paid for."""

    node: str
    gpus: int
    launched_ms: int
    ended_ms: int
    ready_ms: int | None = None
    failed_ms: int | None = None


STEP, SAVE, LOAD = 0, 1, 2


class Session:
    """What one process of a run has told from its start to its end, by the clock of its node."""

    __slots__ = ("attempt", "begin_ms", "begins", "end_ms", "ends", "flops", "gpu_names", "job", "kinds", "node",
                 "numbers", "rank", "reason", "tokens", "world_size")  # fmt: skip

    def __init__(self, begin_ms: int, node: str, rank: int) -> None:
        """Begin one without steps."""
        self.begin_ms, self.end_ms, self.node, self.rank = begin_ms, begin_ms, node, rank
        self.job: str | None = None
        self.attempt: int | None = None
        self.world_size: int | None = None
        self.reason: str | None = None
        self.gpu_names: tuple[str, ...] = ()
        self.kinds = bytearray()
        self.numbers, self.begins, self.ends = array("q"), array("q"), array("q")
        self.tokens, self.flops = array("d"), array("d")

    def add(  # noqa: PLR0913, PLR0917  a value of its own for each of a million steps would take ten times the memory
        self, kind: int, number: int, begin_ms: int, end_ms: int, tokens: float = 0.0, flops: float = 0.0
    ) -> None:
        """Add a step, or a checkpoint that is written or read; -1 is the number of one that is not whole."""
        self.kinds.append(kind)
        self.numbers.append(number)
        self.begins.append(begin_ms)
        self.ends.append(end_ms)
        self.tokens.append(tokens)
        self.flops.append(flops)

    @property
    def resumed_at(self) -> int | None:
        """Return the step it has gone on with, or None where it came to none."""
        for kind, number in zip(self.kinds, self.numbers, strict=True):
            if number >= 0 and kind in (STEP, LOAD):
                return number
        return None

    @property
    def saved_step(self) -> int | None:
        """Return the last step that a whole checkpoint of it holds."""
        at, saved = self.kinds.find(SAVE), None
        while at >= 0:
            if self.numbers[at] >= 0:
                saved = max(saved or 0, self.numbers[at])
            at = self.kinds.find(SAVE, at + 1)
        return saved

    def shift(self, by_ms: int) -> None:
        """Move all times, which were of a clock that is wrong by so much."""
        self.begin_ms += by_ms
        self.end_ms += by_ms
        for times in (self.begins, self.ends):
            for at, time in enumerate(times):
                times[at] = time + by_ms
