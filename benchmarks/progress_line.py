"""Measures what one line a step costs a training program, beside a step of 100 ms.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time

from trainyard.training.programs.trainyard_progress import Progress


def main() -> None:
    """Print the mean, the 99th percentile and the worst of many calls, with the write of each step forced and not."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=20_000)
    arguments.add_argument("--folder", help="where to write; by default a temporary folder")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for forced in (False, True):
            progress = Progress(chosen.folder or temporary, rank=int(forced))
            taken = sorted(_step_s(progress, step, forced=forced) for step in range(chosen.steps))
            mean_us, p99_us, worst_us = (
                1e6 * value for value in (statistics.fmean(taken), taken[int(0.99 * len(taken))], taken[-1])
            )
            print(
                f"{'each written at once' if forced else 'gathered'}: mean {mean_us:.1f} µs, 99 % {p99_us:.1f} µs, "
                f"worst {worst_us:.0f} µs; {mean_us / 1e3:.3f} % of 100 ms"
            )


def _step_s(progress: Progress, step: int, *, forced: bool) -> float:
    begin = time.perf_counter()
    progress.step(step, loss=2.5, tokens=8192, flops=6.1e12, compute_seconds=0.0712345)
    if forced:
        progress.flush()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
