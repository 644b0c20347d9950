"""Whether what arrived is what was sent."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.bench.case import Case
from trainyard.bench.result import Row
from trainyard.finding import Finding

# Sums of random floats in another order differ by some 1e-6, halves by some 1e-3. This is no rounding.
_NO_ROUNDING = 0.01


def check(case: Case) -> Iterator[Finding]:
    """Yield the sizes at which elements were wrong, or that the test counted results out of bounds."""
    run = case.run
    wrong = [row for row in run.rows if _is_wrong(row)]
    if wrong:
        sizes = ", ".join(f"{row.size_bytes:,} B" for row in wrong[:3])
        more = f" and {len(wrong) - 3} more sizes" if len(wrong) > 3 else ""
        total = f"{run.wrong_total:,} elements were wrong" if run.wrong_total else "results deviate too far"
        yield case.finding("bench-wrong-results", f"{total}, at {sizes}{more}", wrong[0].line or None)
    elif run.out_of_bounds is not None and run.out_of_bounds[1] != "OK":
        yield case.finding("bench-wrong-results", f"{run.out_of_bounds[0]} results were out of bounds", run.last_line)


def _is_wrong(row: Row) -> bool:
    both = [one for one in (row.out_of_place, row.in_place) if one is not None]
    return any((one.wrong or 0) > 0 or (one.error or 0.0) >= _NO_ROUNDING for one in both)
