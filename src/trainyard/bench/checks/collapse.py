"""Whether bandwidth falls where it should rise: no knowledge of the machine is needed for that."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bench.case import Case
from trainyard.bench.result import busbw
from trainyard.finding import Finding

# Below this size protocols change, and figures jump.
_FROM_BYTES = 2**20
# A change of algorithm costs a third at most on good clusters; less than this share of what smaller messages reach,
# twice in a row, does not come from it.
_SHARE = 0.4


def check(case: Case) -> Iterator[Finding]:
    """Yield where two sizes after each other are far slower than a smaller one: not of CPUs, which others may use."""
    if case.run.on_cpus:
        return
    rows = [
        (row, value) for row in case.run.rows if row.size_bytes >= _FROM_BYTES and (value := busbw(row)) is not None
    ]
    best, best_at, before_was_low = 0.0, 0, False
    for row, value in rows:
        low = value < best * _SHARE
        if low and before_was_low:
            message = f"{value:,.1f} GB/s at {row.size_bytes:,} bytes, after {best:,.1f} GB/s at {best_at:,} bytes"
            yield case.finding("bench-bandwidth-collapses", message, row.line or None)
            return
        before_was_low = low
        best, best_at = max((best, best_at), (value, row.size_bytes))
