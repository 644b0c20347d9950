"""The report of runs for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.counts import count_text
from trainyard.foreign_text import word_or_quoted

_MOST_RANKS = 8


def report_text(values: Mapping[str, Any]) -> str:
    """Return the text of a report's values."""
    lines = [line for run in values["runs"] for line in _run(run)]
    outside = values["outside"]
    if outside is not None:
        lines += [f"nodes without a run: {outside['gpu_hours']:,.1f} GPU-hours", *_time(outside)]
    if len(values["runs"]) > 1 or outside is not None:
        total = values["total"]
        lines += [f"{total['runs']} run{'s' * (total['runs'] != 1)} together: {', '.join(worth(total))}", *_time(total)]
    return "\n".join([*lines, *(f"note: {note}" for note in values["notes"])])


def _run(run: Mapping[str, Any]) -> Iterator[str]:
    starts, failures = run["starts"], run["interruptions"]
    yield f"{word_or_quoted(run['run'] or 'run')}: {', '.join(worth(run))}"
    yield (
        f"  {count_text(run['gpus'], 'GPU')}, {count_text(starts, 'start')}, {count_text(failures, 'interruption')}"
        + ("" if run["mtbf_h"] is None else f", one every {run['mtbf_h']:,.1f} h")
        + f"; {run['queue_gpu_hours']:,.1f} GPU-hours in the queue, not paid"
    )
    yield from _time(run)
    yield from (f"  {line}" for line in slowness(run))
    yield from (f"  note: {note}" for note in run["notes"])


def worth(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words what time was worth, as far as it is known."""
    if values["goodput"] is None:
        yield f"{values['gpu_hours']:,.1f} GPU-hours of which nothing is known"
    else:
        at_most = values["goodput_at_most"]
        more = f" (up to {at_most:.1%} with what is unknown)" if at_most - values["goodput"] >= 0.0005 else ""
        yield f"{values['goodput']:.1%} of {values['gpu_hours']:,.1f} GPU-hours were useful{more}"
    if values.get("ettr") is not None:
        yield f"effective training time {values['ettr']:.1%} of {values['wall_h']:,.1f} h"
    if values["usd_per_useful_gpu_hour"] is not None:
        yield f"USD {values['usd_per_useful_gpu_hour']:,.2f} for a useful GPU-hour, USD {values['usd']:,.0f} in all"
    told = values.get("utilisation")
    if told is not None and told["mfu"] is not None:
        yield f"MFU {told['mfu']:.1%} of {told['peak_tflop_s']:,.0f} TFLOP/s, dense"
    elif told is not None:
        yield f"no MFU, as {told['refusal']}"


def slowness(run: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words what made its last steps slow, or holds it up, where ranks or dumps tell of it."""
    yield from _flight(run.get("flight_recorder"))
    told = run.get("stragglers")
    if told is None:
        return
    yield f"steps {told['first_step']} to {told['last_step']}: {told['meaning']}"
    if told["cause"] != "none":
        yield f"steps take {told['slowdown']:.2f} times as long as with equal ranks; without it {told['gain']:.1%} less"
    for rank in told["slow"][:_MOST_RANKS]:
        yield f"{_place(rank)} computes {rank['excess']:.0%} longer"
    if len(told["slow"]) > _MOST_RANKS:
        yield f"{len(told['slow']) - _MOST_RANKS} more ranks are in the JSON"
    for node in told["nodes"]:
        yield f"next: run `trainyard-node health` on {word_or_quoted(node)}"
    yield from told["notes"]


def _place(rank: Mapping[str, Any]) -> str:
    node = f" on {word_or_quoted(rank['node'])}" if rank["node"] else ""
    return f"rank {rank['rank']}{node}" + ("" if rank["gpu"] is None else f", GPU {rank['gpu']},")


def _flight(told: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield in words what dumps of the flight recorder say."""
    if told is None:
        return
    behind = len({rank["rank"] for rank in told["behind"]})
    yield f"flight recorder of {count_text(told['dumps'], 'rank')}: {count_text(behind, 'rank')} behind"
    for rank in told["behind"][:_MOST_RANKS]:
        call = f"{word_or_quoted(rank['collective'])} {rank['sequence']} of group {word_or_quoted(rank['group'])}"
        what = "called" if rank["last_sequence"] < rank["sequence"] else "begun"
        others = count_text(rank["waiting"], "rank waits", "ranks wait")
        yield f"{_place(rank)} has not {what} {call}, in which {others}"
    for rank in told["late"][:_MOST_RANKS]:
        last = f"comes last to {rank['share']:.0%} of {count_text(told['compared'], 'collective')}"
        yield f"{_place(rank)} {last}: the others wait for it {rank['waits']:.0%} of the time"
    yield from told["notes"]


def _time(values: Mapping[str, Any]) -> Iterator[str]:
    for part in values["time"]:
        usd = "" if part["usd"] is None else f"  USD {part['usd']:>10,.0f}"
        yield f"  {part['kind']:<10} {part['share']:>6.1%} {part['gpu_hours']:>12,.2f} GPU-h{usd}  {part['meaning']}"
