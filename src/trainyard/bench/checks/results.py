"""Whether a test came to its end with a whole table, and whether what arrived is what was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.bench.case import Case
from trainyard.bench.result import Evidence, Row, Run
from trainyard.finding import Finding

# Sums of random floats in another order differ by some 1e-6, halves by some 1e-3. This is no rounding.
_NO_ROUNDING = 0.01
# What ends a test, or keeps it from beginning. Warnings of NCCL alone do not.
_FATAL = re.compile(
    r"Test (?:[A-Z]+ )?failure|: error:|not enough slots|CANCELLED|Segmentation fault|Bus error|\bKilled\b|MPI_ABORT"
    r"|mpirun noticed|exited on signal|TIME LIMIT|[Oo]ut Of Memory|command not found"
    r"|Failure running neuron-bench|Neuron DKMS Driver is not"
)


def wrong_results(case: Case) -> Iterator[Finding]:
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
    both = [measurement for measurement in (row.out_of_place, row.in_place) if measurement is not None]
    return any((measurement.wrong or 0) > 0 or (measurement.error or 0.0) >= _NO_ROUNDING for measurement in both)


def ending_findings(case: Case) -> Iterator[Finding]:
    """Yield what ended it early, or that it has measured nothing, and how much of the table is damaged."""
    run = case.run
    why = _why(run)
    reason = f": {why.text[:200]}" if why else ""
    if not run.rows and (run.unread is not None or _ended(run)) and (why is None or not _FATAL.search(why.text)):
        unread = run.unread or Evidence(run.first_line, "")
        message = f"line {unread.line} is a table that `bench judge` cannot read: {unread.text[:120]}".rstrip(": ")
        yield case.finding("bench-unread-table", message, unread.line)
        return
    if not run.rows:
        yield case.finding(
            "bench-no-rows", f"the test has no result{reason}", why.line if why else run.first_line or None
        )
    elif not _ended(run) and (why or _too_few(run)):
        last = run.rows[-1]
        message = f"the test ended after {last.size_bytes:,} bytes, without its sums{reason}"
        yield case.finding("bench-run-died", message, why.line if why else last.line or None)
    if run.damaged_rows:
        parts = "1 part" if run.damaged_rows == 1 else f"{run.damaged_rows:,} parts"
        yield case.finding("bench-damaged-rows", f"{parts} of rows in the table, cut or contradicting themselves")


def _ended(run: Run) -> bool:
    return run.concluded or run.average_busbw_gb_s is not None


def _why(run: Run) -> Evidence | None:
    fatal = (failure for failure in run.failures if _FATAL.search(failure.text))
    return next(fatal, run.failures[0] if run.failures and not run.rows else None)


def _too_few(run: Run) -> bool:
    """Return whether the sizes that the test was started with are not all there."""
    largest_asked = run.parameters.get("maxBytes") or run.parameters.get("maximum_bytes")
    largest = max(row.size_bytes for row in run.rows)
    # The last step need not hit it exactly, and reductions round sizes down to whole elements of all ranks.
    return largest_asked is not None and largest_asked.isdecimal() and largest < int(largest_asked) / 2
