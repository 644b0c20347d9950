"""What follows from the figures of a table where nothing says it: the number of ranks, the collective, the unit."""

from __future__ import annotations

from math import ceil, floor

from trainyard.bench.result import Measurement, Row, Run, busbw
from trainyard.bench.table_row import DTYPE_BYTES

# Of two ranks, 2(n-1)/n is 1, as of all collectives that have one bandwidth for both.
_ALIKE, _TWO = 1.01, 2


def with_derived_facts(run: Run) -> Run:
    """Return a run with what follows from its rows: the number of ranks, the collective, the unit."""
    listed = max((device.rank + 1 for device in run.devices), default=0)
    run.ranks = max(listed, run.ranks or 0)
    if run.ranks <= 1 and not (listed and not any(map(busbw, run.rows))):
        run.ranks = _ranks_by_factor(run)  # a list of one rank was cut where there is a bus
    if run.collective is None:
        run.collective = _collective_by_factor(run)
    if run.tool == "nccom-test" or any(_of_nccom_row(row) for row in run.rows):
        run.tool, run.bandwidth_unit = "nccom-test", "GiB/s"
    return run


def _of_nccom_row(row: Row) -> bool:
    return row.dtype in {"fp32", "fp16", "bf16", "fp8"}


def busbw_by_algbw(run: Run) -> tuple[float, float] | None:
    """Return the least and the most that bus bandwidth by algorithm bandwidth can be, as far as the digits go."""
    both = [
        measurement for row in run.rows for measurement in (row.out_of_place, row.in_place) if measurement is not None
    ]
    best = max(both, key=lambda measurement: measurement.algbw_gb_s, default=None)
    if best is None or best.algbw_gb_s < 1:
        return None
    half = 0.005 if best.algbw_gb_s < 1000 else 0.05
    return (best.busbw_gb_s - half) / (best.algbw_gb_s + half), (best.busbw_gb_s + half) / (best.algbw_gb_s - half)


def _ranks_by_factor(run: Run) -> int | None:
    """Return how many ranks there are by the factor of an all-reduce, 2(n-1)/n, where its digits tell one number."""
    factor = busbw_by_algbw(run)
    if factor is None or not 1.0 < factor[0] <= factor[1] < 2:
        return None
    least, most = (2 / (2 - ratio) for ratio in factor)
    possible = range(ceil(least), floor(most) + 1)
    eights = [ranks for ranks in possible if ranks % 8 == 0]
    return possible[0] if len(possible) == 1 else eights[0] if len(eights) == 1 else None


def _collective_by_factor(run: Run) -> str | None:
    """Return the collective where nothing names it, as far as the table tells: one that nothing tells stays unknown.

    A rank's part is the whole for those that reduce to everybody, and only alltoall cannot be checked in place.
    """
    row = run.best
    if row is None:
        return None
    whole = row.size_bytes == row.elements * DTYPE_BYTES[row.dtype]
    if row.redop is not None and row.root in {None, -1}:
        factor = busbw_by_algbw(run)
        if whole and factor is not None and factor[1] < _ALIKE and (run.ranks or _TWO) != _TWO:
            return None
        if row.in_place is not None and row.in_place.wrong is None and _is_checked(row.out_of_place):
            return "sendrecv"  # which names an operation too, and cannot check in place
        return "all_reduce" if whole else "reduce_scatter"
    checked = [_is_checked(row.out_of_place), _is_checked(row.in_place)]
    if whole or row.root not in {None, -1} or not checked[0]:
        factor = busbw_by_algbw(run)
        is_all_reduce = factor is not None and factor[0] > _ALIKE
        return "all_reduce" if is_all_reduce else _of_a_root(row) if whole else None
    return "all_gather" if checked[1] else "alltoall"


def _of_a_root(row: Row) -> str | None:
    """Return which of the two that move the whole it is: scatter and gather count a rank's part."""
    if row.root in {None, -1}:
        return None
    return "broadcast" if row.redop is None else "reduce"


def _is_checked(measurement: Measurement | None) -> bool:
    return measurement is not None and measurement.wrong is not None
