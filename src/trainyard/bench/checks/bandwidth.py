"""Whether the bandwidth is what such a cluster shows, by size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from statistics import linear_regression
from typing import NamedTuple

from trainyard.bench.case import Case
from trainyard.bench.checks.ranks import rank_contradictions
from trainyard.bench.expectation import Expectation, Model
from trainyard.bench.result import Row, busbw
from trainyard.finding import Finding

# Where bandwidth decides and not latency.
LARGE_BYTES = 64 * 2**20
_PLATEAU_BYTES = 16 * 2**30
_MUCH_ABOVE = 1.03
_AS_GOOD_AS_FULL = 0.85
# A slope needs some sizes close together, and is worth less than a measurement.
_SLOPE_FROM_BYTES = 16 * 2**20
_SLOPE_POINTS = 5
_SLOPE_SHARE = 0.75
_ON_CPUS = (
    "it ran on CPUs: its results say that nodes reach each other, and its figures nothing of a cluster of GPUs",
    "run the tests of `trainyard bench plan` on nodes with GPUs",
)
_ONE_RANK = (
    "one rank has no bus: its bus bandwidth is 0 by definition",
    "run it on two GPUs and more, to see what their links or the network carry",
)
# Below this size protocols change, and figures jump.
_FROM_BYTES = 2**20
# A change of algorithm costs a third at most on good clusters; less than this share of what smaller messages reach,
# twice in a row, does not come from it.
_SHARE = 0.4


class _Comparison(NamedTuple):
    """A row beside what was expected of it."""

    row: Row
    busbw_gb_s: float
    expected: Expectation


def bandwidth_findings(case: Case) -> Iterator[Finding]:
    """Yield where it is below the band or above the ceiling, or why nothing can be said."""
    if not case.run.rows:
        return
    if case.run.on_cpus or case.run.ranks == 1:
        why, remedy = _ON_CPUS if case.run.on_cpus else _ONE_RANK
        yield case.finding("bench-nothing-to-compare", why)._replace(remedy=remedy)
        return
    if case.model is None:
        yield case.finding("bench-nothing-to-compare", _why_not(case))
        return
    if rank_contradictions(case):
        return  # whatever it is slower than was expected of something else
    yield from _above(case, case.model)
    series = case.run.usual_series
    if not series:
        yield case.finding("bench-nothing-to-compare", _other_types(case))
    yield from _one_of_each([list(_of_series(case, case.model, rows)) for rows in series])


def _one_of_each(findings_of_series: list[list[Finding]]) -> Iterator[Finding]:
    """Yield the first finding of each kind, with the number of the series that have the same."""
    counts = Counter(finding.id for findings in findings_of_series for finding in findings)
    for id_, count in counts.items():
        first = next(finding for findings in findings_of_series for finding in findings if finding.id == id_)
        more = f"; so are {count} of {len(findings_of_series)} series" if len(findings_of_series) > 1 else ""
        yield first._replace(message=first.message + more)


def _of_series(case: Case, model: Model, rows: list[Row]) -> Iterator[Finding]:
    """Yield what is to be said of the rows of one data type and operation, run through once."""
    compared = compare(rows, model)
    large = [comparison for comparison in compared if comparison.row.size_bytes >= LARGE_BYTES]
    if not large:
        yield from _small(case, model, rows, compared)
        return
    below = [compared for compared in large if compared.busbw_gb_s < compared.expected.least_gb_s]
    if not model.ceiling.known:
        yield from _without_network(case, model.ceiling.busbw_gb_s, large)
    elif model.confidence == "low":
        yield case.finding("bench-nothing-to-compare", _without_reference(model, large))
    elif large[-1] in below:
        yield _below("bench-below-expectation", case, model, below)
    elif below:
        yield _below("bench-slow-to-rise", case, model, below)


def _without_reference(model: Model, large: list[_Comparison]) -> str:
    best = max(comparison.busbw_gb_s for comparison in large)
    share = best / model.ceiling.busbw_gb_s
    return f"{best:,.1f} GB/s are {share:.0%} of what is possible, and {model.basis}; no run like it says what is usual"


def _other_types(case: Case) -> str:
    types = dict.fromkeys(f"{rows[0].dtype} {rows[0].redop or ''}".strip() for rows in case.run.series)
    return f"what is published are sums of floats, and this is {', '.join(list(types)[:3])}"


def _without_network(case: Case, most_gb_s: float, large: list[_Comparison]) -> Iterator[Finding]:
    """Yield that nothing can be said, unless the GPUs' own links are as good as full: then nothing holds it back."""
    if max(compared.busbw_gb_s for compared in large) < most_gb_s * _AS_GOOD_AS_FULL:
        yield case.finding("bench-nothing-to-compare", f"nothing is known of the network of {case.nodes} nodes")


def _small(case: Case, model: Model, rows: list[Row], compared: list[_Comparison]) -> Iterator[Finding]:
    """Yield what a test tells that ends before bandwidth decides: how much more time each more byte takes."""
    largest = max(row.size_bytes for row in rows)
    busbw_by_slope = _by_slope(
        [comparison for comparison in compared if comparison.row.size_bytes >= _SLOPE_FROM_BYTES], model.factor
    )
    least = model.at(_PLATEAU_BYTES).least_gb_s
    judged = case.expectation is not None and model.confidence != "low"
    if judged and busbw_by_slope is not None and busbw_by_slope < least * _SLOPE_SHARE:
        message = (
            f"up to {largest:,} bytes, more bytes take as long as at {busbw_by_slope:,.1f} GB/s, where at least "
            f"{least:,.0f} are expected of large sizes; {model.basis}"
        )
        yield case.finding("bench-below-expectation", message, compared[-1].row.line or None)
    else:
        yield case.finding("bench-too-small", f"the largest size is {largest:,} bytes")


def _by_slope(compared: list[_Comparison], factor: float) -> float | None:
    """Return the bus bandwidth by the slope of time over size, which latency has no part in."""
    points = [
        (comparison.row.size_bytes, comparison.row.size_bytes * factor / comparison.busbw_gb_s / 1e3)
        for comparison in compared
    ]
    if len(points) < _SLOPE_POINTS:
        return None
    slope_us_a_byte = linear_regression(*zip(*points, strict=True)).slope
    return factor / slope_us_a_byte / 1e3 if slope_us_a_byte > 0 else None


def compare(rows: list[Row], model: Model) -> list[_Comparison]:
    """Return the rows beside what is expected of them, those of size 0 left out."""
    both = ((row, busbw(row)) for row in rows if row.size_bytes > 0)
    return [_Comparison(row, value, model.at(row.size_bytes)) for row, value in both if value is not None]


def _below(id_: str, case: Case, model: Model, below: list[_Comparison]) -> Finding:
    worst = min(below, key=lambda compared: compared.busbw_gb_s / compared.expected.busbw_gb_s)
    share = worst.busbw_gb_s / worst.expected.busbw_gb_s
    sizes = (
        f"{below[0].row.size_bytes:,} to {below[-1].row.size_bytes:,}"
        if len({compared.row.size_bytes for compared in below}) > 1
        else "one size"
    )
    message = (
        f"{worst.busbw_gb_s:,.1f} GB/s at {worst.row.size_bytes:,} bytes is {share:.0%} of the "
        f"{worst.expected.busbw_gb_s:,.0f} that are expected (at least {worst.expected.least_gb_s:,.0f}); "
        f"below at {sizes} bytes; {model.basis}"
    )
    return case.finding(id_, message, worst.row.line or None)


def _above(case: Case, model: Model) -> Iterator[Finding]:
    best = case.run.best
    value = busbw(best) if best is not None else None
    if best is not None and value is not None and value > model.ceiling.busbw_gb_s * _MUCH_ABOVE:
        message = (
            f"{value:,.1f} GB/s is more than the {model.ceiling.busbw_gb_s:,.0f} that are possible: {model.ceiling.why}"
        )
        yield case.finding("bench-impossible", message, best.line or None)


def _why_not(case: Case) -> str:
    run = case.run
    if run.collective is None:
        return "nothing says which collective was measured"
    if case.machine is None:
        return "nothing says on which machine it ran, or nothing is known of that machine"
    if case.machine.accelerator.startswith(("Trainium", "Inferentia")):
        return f"no run of {case.machine.accelerator} is published as what others should reach"
    if case.nodes is None or case.gpus_per_node is None:
        return "nothing says on how many nodes it ran"
    return f"nothing is known of {run.collective} on {case.nodes} × {case.machine.name}"


def bandwidth_collapse(case: Case) -> Iterator[Finding]:
    """Yield where two sizes after each other are far slower than a smaller one: not of CPUs, which others may use."""
    if case.run.on_cpus:
        return
    found = (finding for rows in case.run.series for finding in _collapse(case, rows))
    yield from islice(found, 1)


def one_slow_size(case: Case) -> Iterator[Finding]:
    """Yield where one large size alone is far slower than those beside it."""
    if case.run.on_cpus:
        return
    for series in case.run.series:
        rows = [(row, value) for row in series if row.size_bytes >= LARGE_BYTES and (value := busbw(row)) is not None]
        for (_, before), (row, value), (_, after) in zip(rows, rows[1:], rows[2:], strict=False):
            if value < min(before, after) * _SHARE:
                message = f"{value:,.1f} GB/s at {row.size_bytes:,} bytes alone, between {before:,.1f} and {after:,.1f}"
                yield case.finding("bench-one-size-slow", message, row.line or None)


def _collapse(case: Case, series: list[Row]) -> Iterator[Finding]:
    rows = [(row, value) for row in series if row.size_bytes >= _FROM_BYTES and (value := busbw(row)) is not None]
    best, best_at, before_was_low = 0.0, 0, False
    for row, value in rows:
        low = value < best * _SHARE
        if low and before_was_low:
            message = f"{value:,.1f} GB/s at {row.size_bytes:,} bytes, after {best:,.1f} GB/s at {best_at:,} bytes"
            yield case.finding("bench-bandwidth-collapses", message, row.line or None)
            return
        before_was_low = low
        best, best_at = max((best, best_at), (value, row.size_bytes))
