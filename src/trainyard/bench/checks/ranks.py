"""Whether the ranks that a test lists can be those of one test, on the machine that is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainyard.bench.case import Case
from trainyard.bench.ceiling import busbw_factor
from trainyard.bench.derived_facts import busbw_by_algbw
from trainyard.bench.result import Run
from trainyard.finding import Finding

# What digits leave open is in the range already; nccl-tests measures some sizes by averages.
_ROUNDING = 0.02
_FEW = 2


def rank_findings(case: Case) -> Iterator[Finding]:
    """Yield that processes measured by themselves, or else what of the ranks does not add up."""
    twice = _ranks_twice(case.run)
    if twice:
        yield case.finding("bench-ranks-apart", twice)
    elif contradictions := rank_contradictions(case):
        yield case.finding("bench-ranks-do-not-fit", "; ".join(contradictions))


def rank_contradictions(case: Case) -> list[str]:
    """Return what of the ranks does not fit the machine, or the table."""
    return [*_too_many(case), *case.run.doubled_devices[:_FEW], *_other_factor(case)]


def _ranks_twice(run: Run) -> str | None:
    """Return in words that a rank is there on two nodes or in two processes."""
    seen: dict[tuple[int, int], tuple[str, int]] = {}
    for device in run.devices:
        place = (device.host, device.pid)
        first = seen.setdefault((device.group, device.rank), place)
        if first != place:
            return (
                f"rank {device.rank} is process {first[1]} on {first[0]} and process {place[1]} on {place[0]}: "
                "each process measured by itself, and nothing between them"
            )
    return None


def _too_many(case: Case) -> Iterator[str]:
    machine = case.machine
    if machine is None or machine.is_only_gpus:
        return
    for host, count in Counter(device.host for device in case.run.devices).most_common(1):
        if count > machine.gpus:
            yield f"{count} ranks on {host}, and {machine.name} has {machine.gpus} GPUs"
    highest = max((device.device for device in case.run.devices), default=0)
    if highest >= machine.gpus and not case.run.on_cpus:
        yield f"a rank on device {highest}, and those of {machine.name} are 0 to {machine.gpus - 1}"


def _other_factor(case: Case) -> Iterator[str]:
    """Yield that bus bandwidth by algorithm bandwidth is not that of the collective and its ranks."""
    run, measured = case.run, busbw_by_algbw(case.run)
    expected = busbw_factor(run.collective or "", run.ranks or 0) if run.ranks else None
    if measured is None or not expected:
        return
    least, most = measured[0] * (1 - _ROUNDING), measured[1] * (1 + _ROUNDING)
    # Old versions gave all-gather and its like the bus bandwidth as both.
    one_for_both = run.collective != "all_reduce" and least <= 1 <= most
    if not least <= expected <= most and not one_for_both:
        yield (
            f"the table has {sum(measured) / 2:.2f} times as much bus bandwidth as algorithm bandwidth, and "
            f"{run.collective} over {run.ranks} ranks has {expected:.2f} times as much"
        )
