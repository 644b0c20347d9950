"""What Slurm knows of nodes and jobs, asked of the head node in one command.

https://slurm.schedmd.com/sinfo.html and https://slurm.schedmd.com/squeue.html
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

from trainyard import edge
from trainyard.counts import count_text
from trainyard.edge.remote_command import CommandResult
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, word_or_quoted

MOST_JOBS = 200
"""How many jobs are listed, of those that have nodes and of those that wait each."""
_WAITS = "PENDING"
# What stands behind the state of a node: ~ has no power, # and ! go on or off, and so on.
# https://slurm.schedmd.com/sinfo.html#SECTION_NODE-STATE-CODES
_MARKS = "*~#!%$@^-+"
_HAS_JOBS = {"allocated", "mixed", "completing", "draining"}
_OFF = "~%"
_MOST_BYTES = 8_000_000  # of what is unpacked


class HeadNode(Protocol):
    """Runs commands where Slurm is."""

    def run(self, arguments: tuple[str, ...], content: bytes = b"") -> CommandResult:
        """Run a command and return what came of it."""
        ...


class SlurmNode(NamedTuple):
    """A node as Slurm knows it."""

    name: str
    queues: tuple[str, ...]
    state: str
    """In Slurm's words, with its mark: idle, idle~, allocated, drained*."""
    address: str
    """Where Slurm reaches it; its name where it has never had power."""
    reason: str
    """Why it is down or drained; empty where it is not."""

    @property
    def plain_state(self) -> str:
        """Return its state without marks."""
        return self.state.rstrip(_MARKS)

    @property
    def has_power(self) -> bool:
        """Return whether an instance is behind it, or is to be."""
        return not set(_OFF) & set(self.state)

    @property
    def has_jobs(self) -> bool:
        """Return whether jobs are on it."""
        return self.plain_state in _HAS_JOBS


class SlurmJob(NamedTuple):
    """A job that has nodes, or waits for them."""

    id: str
    state: str
    user: str
    queue: str
    nodes: int
    begins: str | None
    """When it began, or is expected to."""
    place: str
    """Its nodes, or in parentheses why it waits."""
    name: str
    """As its user calls it."""

    @property
    def waits(self) -> bool:
        """Return whether it has no nodes yet."""
        return self.state == _WAITS

    def __str__(self) -> str:
        """Say which, whose and where, with what users wrote as a quotation."""
        name = f" {quoted(self.name)}" if self.name else ""
        count = count_text(self.nodes, "node")
        id_, user, queue = map(word_or_quoted, (self.id, self.user, self.queue))
        return f"job {id_}{name} of {user} on {count} of {queue}"


class SlurmState(NamedTuple):
    """The nodes and jobs of a Slurm."""

    nodes: tuple[SlurmNode, ...] = ()
    running: tuple[SlurmJob, ...] = ()
    """Those that have nodes, the first of them."""
    waiting: tuple[SlurmJob, ...] = ()
    """Those that wait, the first of them."""
    running_count: int = 0
    waiting_count: int = 0
    """Each element of an array counts."""
    nodes_by_user: tuple[tuple[str, int], ...] = ()
    """How many nodes the jobs of each user have, those that have most first. Jobs may share a node."""

    def states(self, queue: str) -> dict[str, int]:
        """Return how many nodes of a queue are in each state."""
        return dict(Counter(node.state for node in self.nodes if queue in node.queues))


def slurm_state(head: HeadNode, queues: Collection[str] = ()) -> SlurmState:
    """Return what Slurm knows; where queues are named, only of their jobs.

    Raises TrainyardError where the head node, or Slurm on it, does not answer.
    """
    answer = head.run(("bash", "-s", "--", str(MOST_JOBS), ",".join(sorted(queues))), _script())
    if answer.status:
        raise TrainyardError(f"Slurm does not answer: {quoted(answer.message)}", hint="look on the head node")
    return parsed_state(_unpacked(answer.output))


def _unpacked(content: bytes) -> str:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        text = unpacking.decompress(content, _MOST_BYTES)
    except zlib.error as error:
        raise TrainyardError(f"what the head node answers is damaged: {error}") from error
    if not unpacking.eof and content:
        raise TrainyardError("what the head node answers is too long, or cut off")
    return text.decode("utf-8", "replace")


@cache
def _script() -> bytes:
    return (Path(edge.__file__).parent / "remote" / "slurm_state.sh").read_bytes()


def parsed_state(text: str) -> SlurmState:
    """Return what the script printed."""
    _, _, rest = text.partition("== nodes\n")
    nodes, _, rest = rest.partition("== counts\n")
    counted, _, rest = rest.partition("== jobs\n")
    listed, _, named = rest.partition("== names\n")
    jobs = tuple(_jobs(_lines(listed), _names(_lines(named))))
    counts = tuple(_counts(_lines(counted)))
    users: Counter[str] = Counter()
    for count, state, user, nodes_each in counts:
        if state != _WAITS:
            users[user] += count * nodes_each
    return SlurmState(
        tuple(_nodes(_lines(nodes))),
        tuple(job for job in jobs if not job.waits),
        tuple(job for job in jobs if job.waits),
        sum(count for count, state, _, _ in counts if state != _WAITS),
        sum(count for count, state, _, _ in counts if state == _WAITS),
        tuple(users.most_common()),
    )


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _nodes(lines: list[str]) -> Iterator[SlurmNode]:
    """Yield each node once, with all queues that it is in."""
    nodes: dict[str, SlurmNode] = {}
    for line in lines:
        queue, name, state, address, reason = (*line.split("|", 4), "", "", "", "")[:5]
        known = nodes.get(name)
        queues = (queue,) if known is None else (*known.queues, queue)
        nodes[name] = SlurmNode(name, queues, state, address, "" if reason == "none" else reason)
    yield from nodes.values()


def _counts(lines: list[str]) -> Iterator[tuple[int, str, str, int]]:
    for line in lines:
        count, _, rest = line.strip().partition(" ")
        state, user, _, nodes = (*rest.split("|", 3), "", "", "")[:4]
        yield _whole(count), state, user, _whole(nodes)


def _jobs(lines: list[str], names: dict[str, str]) -> Iterator[SlurmJob]:
    for line in lines:
        id_, state, user, queue, nodes, begins, place = (*line.split("|", 6), *[""] * 6)[:7]
        begins_at = None if begins in ("", "N/A") else begins
        yield SlurmJob(id_, state, user, queue, _whole(nodes), begins_at, place, names.get(id_, ""))


def _names(lines: list[str]) -> dict[str, str]:
    """Return the names by the ids of jobs; none where two lines name one: a name may have lines of its own."""
    names: dict[str, list[str]] = {}
    for line in lines:
        id_, _, name = line.partition("|")
        names.setdefault(id_, []).append(name)
    return {id_: told[0] for id_, told in names.items() if len(told) == 1}


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
