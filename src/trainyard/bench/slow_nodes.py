"""Which node makes the others slow, by several runs or by the times of single processes.

A collective is as slow as its slowest member. So a run that is as fast as others clears all its nodes, and a slow run
in which all nodes but one are cleared has found that one. Where a test has written the times of every process
(nccl-tests' `-J FILE -I 1`), a node whose processes take another time than those of all others stands out by itself.
https://github.com/NVIDIA/nccl-tests/blob/master/README.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import exp, isfinite, log
from statistics import median
from typing import NamedTuple

from trainyard.bench.result import Run, busbw

# Below it latency decides, whose noise is larger than what is looked for.
_FROM_BYTES = 2**20
# Two good runs of one kind differ by 6 % (466 and 438 GB/s on two p5); this is the band of expectation.py.
_SLOW = 0.85
# With fewer runs, nothing tells which of them is the usual one.
_FEWEST_RUNS = 3
# With many, the best of them may be so by chance.
_MANY_RUNS = 10
# Processes of one healthy run differ by some percent; a node of two cannot be told from the other.
_APART = 0.1
_FEWEST_NODES = 3
_FEWEST_SIZES = 2


class SlowNode(NamedTuple):
    """A node, and what speaks against it."""

    host: str
    runs: tuple[int, ...]
    """The runs that show it, by their positions."""
    why: str


class Speed(NamedTuple):
    """How fast a run was beside the others of its kind."""

    run: int
    hosts: frozenset[str]
    share: float
    """Its bus bandwidth by that of the good ones."""

    @property
    def slow(self) -> bool:
        """Return whether it is slower than chance explains."""
        return self.share < _SLOW


def slow_nodes(runs: Sequence[Run]) -> list[SlowNode]:
    """Return the nodes that are slow, those of several runs first."""
    slow = [by_run for group in speeds(runs) for by_run in _by_runs(group)]
    hosts = {slow_node.host for slow_node in slow}
    return slow + [by_process for by_process in _by_processes(runs) if by_process.host not in hosts]


def speeds(runs: Sequence[Run]) -> list[list[Speed]]:
    """Return the runs that can be compared, group by group: one collective, one number of ranks, other nodes."""
    groups: dict[tuple[str | None, int | None, int], list[int]] = {}
    for at, run in enumerate(runs):
        if run.hosts and run.every_rank_listed and _by_size(run):
            groups.setdefault((run.collective, run.ranks, len(run.hosts)), []).append(at)
    compared = (_compared(runs, members) for members in groups.values() if len(members) >= _FEWEST_RUNS)
    return [group for group in compared if len({speed.hosts for speed in group}) >= _FEWEST_RUNS]


def _compared(runs: Sequence[Run], members: Sequence[int]) -> list[Speed]:
    tables = {at: _by_size(runs[at]) for at in members}
    common = sorted(set.intersection(*(set(table) for table in tables.values())))
    if not common:
        return []
    means = {at: exp(sum(log(table[size]) for size in common) / len(common)) for at, table in tables.items()}
    good = sorted(means.values())[-1 if len(means) < _MANY_RUNS else int(0.9 * len(means)) - 1]
    return [Speed(at, frozenset(runs[at].hosts), mean / good) for at, mean in means.items()]


def _by_size(run: Run) -> dict[int, float]:
    """Return the bus bandwidth of the sizes where bandwidth can be seen."""
    both = ((row.size_bytes, busbw(row)) for row in run.usual_rows if row.size_bytes >= _FROM_BYTES)
    return {size: value for size, value in both if value and isfinite(value)}


def _by_runs(group: Sequence[Speed]) -> list[SlowNode]:
    """Return the nodes that explain the slow runs of a group. What two nodes explain as well names neither."""
    cleared = {host for speed in group if not speed.slow for host in speed.hosts}
    open_runs = [speed for speed in group if speed.slow]
    slow_hosts: list[str] = []
    while host := _forced(open_runs, cleared) or _most_often(open_runs, cleared):
        slow_hosts.append(host)
        open_runs = [open_run for open_run in open_runs if host not in open_run.hosts]
    return [_slow_node(host, group, cleared) for host in slow_hosts]


def _forced(open_runs: Sequence[Speed], cleared: set[str]) -> str | None:
    """Return a node of a slow run of which all others are cleared."""
    left = (open_run.hosts - cleared for open_run in open_runs)
    return next((next(iter(hosts)) for hosts in left if len(hosts) == 1), None)


def _most_often(open_runs: Sequence[Speed], cleared: set[str]) -> str | None:
    """Return the node that is in more of the slow runs than any other."""
    counts = Counter(host for open_run in open_runs for host in open_run.hosts - cleared).most_common(2)
    return counts[0][0] if len(counts) == 2 and counts[0][1] > counts[1][1] else None


def _slow_node(host: str, group: Sequence[Speed], cleared: set[str]) -> SlowNode:
    with_it = [speed for speed in group if host in speed.hosts]
    beside = {other for speed in with_it for other in speed.hosts} - {host}
    share = median(speed.share for speed in with_it)
    runs = f"all {len(with_it)} runs with {host} reach" if len(with_it) > 1 else f"the run with {host} reaches"
    why = f"{runs} {share:.0%} of the bandwidth of the good ones"
    fast = len(beside & cleared)
    if fast:
        why += f"; {fast} of the {len(beside)} nodes beside it are as fast as others in runs without it"
    return SlowNode(host, tuple(speed.run for speed in with_it), why)


def _by_processes(runs: Sequence[Run]) -> Iterator[SlowNode]:
    """Yield the node of a run whose processes take another time than those of all others, at most of the sizes."""
    for at, run in enumerate(runs):
        ratios = node_ratios(run)
        for host in run.hosts:
            own = [by_host[host] for by_host in ratios.values()]
            alone = sum(_only(by_host, host) for by_host in ratios.values())
            if alone >= max(_FEWEST_SIZES, 0.5 * len(own)) and own:
                yield SlowNode(host, (at,), _beside_others(host, median(own), alone))


def node_ratios(run: Run) -> dict[int, dict[str, float]]:
    """Return by size, and by host, the time of its processes by the median of all nodes."""
    hosts = run.process_hosts
    ratios: dict[int, dict[str, float]] = {}
    for row in run.rows:
        measurement = row.out_of_place or row.in_place
        if (
            measurement is None
            or measurement.process_times_us is None
            or len(measurement.process_times_us) != len(hosts)
        ):
            continue
        times: dict[str, list[float]] = {}
        for host, time_us in zip(hosts, measurement.process_times_us, strict=True):
            times.setdefault(host, []).append(time_us)
        medians = {host: median(each) for host, each in times.items()}
        middle = median(medians.values())
        if row.size_bytes >= _FROM_BYTES and len(medians) >= _FEWEST_NODES and middle > 0:
            ratios[row.size_bytes] = {host: each / middle for host, each in medians.items()}
    return ratios


def _only(by_host: dict[str, float], host: str) -> bool:
    """Return whether a node is apart, and no other is."""
    return [name for name, ratio in by_host.items() if abs(ratio - 1) >= _APART] == [host]


def _beside_others(host: str, ratio: float, sizes: int) -> str:
    if ratio > 1:
        return f"processes of {host} take {ratio - 1:.0%} longer than those of all other nodes, at {sizes} sizes"
    # All leave a collective together, and who comes late has waited least.
    return (
        f"processes of {host} are {1 - ratio:.0%} shorter in the collective than those of all other nodes, at {sizes} "
        "sizes: the others wait for it"
    )
