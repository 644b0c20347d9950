"""Measures the report of many pairs of nodes: how long, how much memory, and how large the page is.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_parsing import run
from tests.bench.clusters import ring, write_pairs


def main() -> None:
    """Print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = ring(arguments.nodes)
        write_pairs(Path(folder) / "results", pairs, {"p5-dy-77": 1.6})
        page = Path(folder) / "report.html"
        command = [
            sys.executable, "-m", "trainyard", "bench", "report", "--instance-type", "p5.48xlarge",
            str(Path(folder) / "results"), "-o", str(page), "--force",
        ]  # fmt: skip
        measured = [run(command) for _ in range(arguments.rounds)]
        print(
            f"{len(pairs)} runs of {arguments.nodes} nodes, medians of {arguments.rounds}, {platform.python_version()}"
        )
        wall_s, cpu_s = (statistics.median(getattr(one, name) for one in measured) for name in ("wall_s", "cpu_s"))
        print(f"report {wall_s:.2f} s (limit 5), {cpu_s:.2f} s of a processor, {measured[0].peak_mb:.0f} MB")
        print(f"page {page.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
