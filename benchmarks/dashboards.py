"""Measures how long all dashboards take to render, and what a bundle waits for. `make benchmark` runs it.

Each figure is of new processes, as the first rendering of a command is the only one; a bare Python runs in turn with
them, and is subtracted where a row says so. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time

GRAFANA = """
from trainyard.monitoring.dashboard import NEEDS
from trainyard.monitoring.grafana_files import grafana_files
assert len(grafana_files(NEEDS)) == 11
"""
SDK = """
from trainyard.monitoring.grafana_dashboard import compiled_dashboards
assert compiled_dashboards()
"""
CLOUDWATCH = """
from trainyard.architectures import find_architecture
from trainyard.bundle.cloudwatch_files import cloudwatch_files
from trainyard.render.stand_ins import Ids
from trainyard.spec.parsing import parse
assert cloudwatch_files(parse(find_architecture("p5-observability").text, "cluster.yaml").spec, Ids({}))
"""
PARSING = """
from trainyard.architectures import find_architecture
from trainyard.spec.parsing import parse
parse(find_architecture("p5-observability").text, "cluster.yaml").spec
"""
CODE = {"bare": "", "grafana": GRAFANA, "sdk": SDK, "cloudwatch": CLOUDWATCH, "both": GRAFANA + CLOUDWATCH,
        "parsing": PARSING}  # fmt: skip


def seconds(code: str) -> float:
    """Return how long a new Python takes for some code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    taken: dict[str, list[float]] = {name: [] for name in CODE}
    for code in CODE.values():
        seconds(code)
    for _ in range(rounds):
        for name, code in CODE.items():
            taken[name].append(seconds(code))
    median = {name: statistics.median(times) for name, times in taken.items()}
    rows = [
        ("all dashboards, of Grafana and CloudWatch, with the start of Python and a spec to read", median["both"], 2.0),
        ("those of Grafana, without the start of Python", median["grafana"] - median["bare"], None),
        ("those of CloudWatch, without the start of Python and reading a spec",
         median["cloudwatch"] - median["parsing"], None),
        ("`make generate`: those of Grafana through its SDK, without the start of Python",
         median["sdk"] - median["bare"], None),
    ]  # fmt: skip
    print(f"\nMedians of {rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| What | Measured | Limit |\n|---|---|---|")
    for what, value, limit in rows:
        print(f"| {what} | {value * 1000:.0f} ms | {'' if limit is None else f'{limit:g} s'} |")


if __name__ == "__main__":
    main()
