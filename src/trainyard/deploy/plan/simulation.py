"""Many nodes that come up at once, on a clock of its own: who waits for whom at a link that they share.

A node does its work one thing after the other: it is busy for some seconds, or it fetches bytes over a link. At every
moment the nodes that fetch over one link share it evenly, and none is quicker than its own limit. A fetch that is
refused, before its first byte, is tried again after a pause that doubles; after the last attempt the node has failed.

More bandwidth can make a single node slower: others then reach their next fetch sooner, and meet it there. What always
holds is that no node takes longer than it would alone plus the time that the links need for everything.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# As the runner on the node does it: docs/bootstrap.md.
ATTEMPTS = 5
FIRST_PAUSE_S = 5.0


class Busy(NamedTuple):
    """Work that a node does by itself."""

    seconds: float


class Fetch(NamedTuple):
    """Bytes that come over a link."""

    link: str
    size_bytes: float
    refused: int = 0
    """How many attempts are refused before one succeeds."""


class Link(NamedTuple):
    """What nodes share."""

    node_bytes_s: float
    """The most that one node gets."""
    all_bytes_s: float | None = None
    """The most that all of them get together; None where that is no limit."""


class SimulatedNode(NamedTuple):
    """A node, from the moment at which it is asked for."""

    start_s: float
    work: Sequence[Busy | Fetch]


class SimulatedStart(NamedTuple):
    """When a node was done with its work, in seconds from the beginning, or gave up."""

    ended_s: float
    failed: bool


def simulate(nodes: Sequence[SimulatedNode], links: Mapping[str, Link]) -> tuple[SimulatedStart, ...]:
    """Return what becomes of each node. The same nodes and links give the same outcomes."""
    return _Simulation(nodes, links).outcomes()


def _pauses_s(refused: int) -> float:
    """Return what a node waits after so many refusals: 5 s, 10 s and so on, and nothing after the last attempt."""
    return FIRST_PAUSE_S * float(2 ** min(refused, ATTEMPTS - 1) - 1)


def _rate(link: Link, users: int) -> float:
    """Return what each of the users of a link gets."""
    return link.node_bytes_s if link.all_bytes_s is None else min(link.node_bytes_s, link.all_bytes_s / users)


@dataclass(slots=True)
class _LinkInUse:
    """A link in use. ``served`` is what one that fetched from the beginning would have got by ``since_s``."""

    link: Link
    served: float
    since_s: float
    waiting: list[tuple[float, int]]
    """What ``served`` will be when a node has all its bytes, and the node."""

    def advance(self, now_s: float) -> None:
        if self.waiting:
            self.served += _rate(self.link, len(self.waiting)) * (now_s - self.since_s)
        self.since_s = now_s

    def next_s(self) -> float:
        left = max(0.0, self.waiting[0][0] - self.served)
        return self.since_s + left / _rate(self.link, len(self.waiting))


class _Simulation:
    """One simulation: moments of single nodes in a queue, and the links with who fetches over them."""

    def __init__(self, nodes: Sequence[SimulatedNode], links: Mapping[str, Link]) -> None:
        self._work = [deque(node.work) for node in nodes]
        self._moments = [(node.start_s, index) for index, node in enumerate(nodes)]
        self._links = {name: _LinkInUse(link, 0.0, 0.0, []) for name, link in links.items()}
        self._outcomes: dict[int, SimulatedStart] = {}
        heapq.heapify(self._moments)

    def outcomes(self) -> tuple[SimulatedStart, ...]:
        while self._moments or any(shared.waiting for shared in self._links.values()):
            self._step()
        return tuple(self._outcomes[index] for index in range(len(self._work)))

    def _step(self) -> None:
        in_use = [shared for shared in self._links.values() if shared.waiting]
        first = min(in_use, key=_LinkInUse.next_s, default=None)
        if first is None or (self._moments and self._moments[0][0] <= first.next_s()):
            self._go_on(*heapq.heappop(self._moments))
        else:
            now_s = first.next_s()
            first.advance(now_s)
            goal, index = heapq.heappop(first.waiting)
            first.served = goal  # what rounding has left over would add up
            self._go_on(now_s, index)

    def _go_on(self, now_s: float, index: int) -> None:
        """Begin the next part of a node's work."""
        if not self._work[index]:
            self._outcomes[index] = SimulatedStart(now_s, failed=False)
            return
        part = self._work[index].popleft()
        if isinstance(part, Busy):
            heapq.heappush(self._moments, (now_s + part.seconds, index))
        elif part.refused:
            self._try_again(now_s, index, part)
        else:
            shared = self._links[part.link]
            shared.advance(now_s)
            heapq.heappush(shared.waiting, (shared.served + part.size_bytes, index))

    def _try_again(self, now_s: float, index: int, part: Fetch) -> None:
        then_s = now_s + _pauses_s(part.refused)
        if part.refused >= ATTEMPTS:
            self._outcomes[index] = SimulatedStart(then_s, failed=True)
            return
        self._work[index].appendleft(part._replace(refused=0))
        heapq.heappush(self._moments, (then_s, index))


class Distribution(NamedTuple):
    """When nodes were ready."""

    first_s: float
    median_s: float
    p99_s: float
    last_s: float


def distribution(ready_s: Iterable[float]) -> Distribution | None:
    """Return the nearest ranks of some times; None where there are none."""
    ordered = sorted(ready_s)
    if not ordered:
        return None
    return Distribution(ordered[0], _nearest(ordered, 50), _nearest(ordered, 99), ordered[-1])


def _nearest(ordered: Sequence[float], percent: int) -> float:
    return ordered[-(-len(ordered) * percent // 100) - 1]
