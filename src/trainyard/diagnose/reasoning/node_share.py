"""On how many of the nodes that could tell of it a cause is seen, and since when.

What stands on all of them from the beginning is in what they were made of, and what stands on one is in that one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trainyard.counts import count_text
from trainyard.diagnose.cause import Hit
from trainyard.diagnose.log_kind import kind_of
from trainyard.diagnose.node_logs import LogReach, NodeLogs
from trainyard.diagnose.reasoning.place import boot_kinds, service_kinds

FEWEST_NODES = 3
# At most one of four.
_FEW = 4
AT_ONCE = dt.timedelta(seconds=30)
# What comes so soon is of the start, and so is what comes in the first half of a log within the longer time: nodes
# take some minutes to be ready.
_SOON, _WHILE_STARTING = dt.timedelta(seconds=60), dt.timedelta(minutes=15)
ALL_SINCE_START, ALL_AT_ONCE, ALL, FEW, SOME = "all-since-start", "all-at-once", "all", "few", "some"


class NodeShare(NamedTuple):
    """On which nodes a cause is seen."""

    nodes: int
    of: int
    """All nodes that have such logs and are seen for long enough."""
    too_short: int
    """Nodes whose logs end before it came elsewhere: they tell nothing."""
    since: str
    """One of the words above."""
    latest_delay: dt.timedelta
    """How long after the beginning of its logs it came to the node where that took longest."""

    @property
    def sentence(self) -> str:
        """Return what it tells, and where to look."""
        return {
            ALL_SINCE_START: f"{self._all}, from the beginning of their logs: look at what they were made with, such as"
            " an image, a configuration or a network, and not at single nodes.",
            ALL_AT_ONCE: f"{self._all}, where it began within {AT_ONCE.seconds} seconds: look first at what they"
            " share, such as a job, an image, a role, a network or a file system, and at what happened then.",
            ALL: f"{self._all}, and not from the beginning: look at what was changed for all of them.",
            # Nodes without work have nothing to fail at.
            FEW: f"{self._some}: where the others do the same work, look at {self._them} first, and drain or replace"
            f" {'it' if self.nodes == 1 else 'them'}.{self._late}",
            SOME: f"{self._some}: look at what these have in common, such as a job, a queue, an image or a zone.",
        }[self.since]

    @property
    def _all(self) -> str:
        return f"It is on all {self.nodes} nodes{self._without_short}"

    @property
    def _some(self) -> str:
        return f"It is on {self.nodes} of {count_text(self.of, 'node')}, and on no other{self._without_short}"

    @property
    def _them(self) -> str:
        return "that node" if self.nodes == 1 else "those nodes"

    @property
    def _without_short(self) -> str:
        short = f"{count_text(self.too_short, 'node')} more {'ends' if self.too_short == 1 else 'end'}"
        return f" whose logs reach so far (those of {short} too soon to tell)" if self.too_short else ""

    @property
    def _late(self) -> str:
        minutes = int(self.latest_delay.total_seconds() // 60)
        after = count_text(minutes // 60, "hour") if minutes >= 60 else count_text(minutes, "minute")
        is_late = self.latest_delay > _WHILE_STARTING
        return f" It came {after} after the beginning of its log." if is_late and self.nodes == 1 else ""


def node_share(hits: Iterable[Hit], logs: NodeLogs | None) -> NodeShare | None:
    """Return on how many nodes lines of a cause are; None where logs do not tell, or there are fewer than three.

    Lines of logs that are not of one node, such as those of jobs, are left out.
    """
    if logs is None:
        return None
    own = [hit for hit in hits if hit.node is not None and hit.time is not None]
    kinds = {kind_of(hit.file) for hit in own} - service_kinds()
    reaches = logs.of_kinds(kinds)
    firsts: dict[str, dt.datetime] = {}
    for hit in own:
        if hit.node in reaches and hit.time and kind_of(hit.file) in kinds:
            firsts[hit.node] = min(hit.time, firsts.get(hit.node, hit.time))
    serving = logs.nodes_with(service_kinds())
    others = [reach for node, reach in reaches.items() if node not in firsts and node not in serving]
    if not firsts or not {hit.node for hit in own if kind_of(hit.file) in kinds} <= {*firsts}:
        return None
    delays = {node: max(first - reaches[node].first, dt.timedelta(0)) for node, first in firsts.items()}
    telling = [reach for reach in others if _would_tell(reach, min(firsts.values()), min(delays.values()))]
    count = len(firsts) + len(telling)
    if count < FEWEST_NODES:
        return None
    is_of_start = kinds <= boot_kinds()
    since = _since(firsts, delays, reaches, is_of_start=is_of_start) if not telling else _part(len(firsts), count)
    return NodeShare(len(firsts), count, len(others) - len(telling), since, max(delays.values()))


def _would_tell(reach: LogReach, began: dt.datetime, delay: dt.timedelta) -> bool:
    """Return whether logs of a node without it reach over the time when it would be there."""
    return reach.last - reach.first >= delay or reach.first <= began <= reach.last


def _part(nodes: int, count: int) -> str:
    return FEW if nodes * _FEW <= count or nodes == 1 else SOME


def _since(
    firsts: Mapping[str, dt.datetime],
    delays: Mapping[str, dt.timedelta],
    reaches: Mapping[str, LogReach],
    *,
    is_of_start: bool,
) -> str:
    is_at_once = _width([*firsts.values()]) <= AT_ONCE
    started_apart = _width([reaches[node].first for node in firsts]) > _WHILE_STARTING
    limits = (_limit(reaches[node], is_of_start=is_of_start) for node in firsts)
    if all(delay <= limit for delay, limit in zip(delays.values(), limits, strict=True)):
        return ALL_AT_ONCE if is_at_once and started_apart else ALL_SINCE_START
    return ALL_AT_ONCE if is_at_once else ALL


def _limit(reach: LogReach, *, is_of_start: bool) -> dt.timedelta:
    half = _WHILE_STARTING if is_of_start else (reach.last - reach.first) / 2
    return max(_SOON, min(_WHILE_STARTING, half))


def _width(times: Sequence[dt.datetime]) -> dt.timedelta:
    return max(times) - min(times)
