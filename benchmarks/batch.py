"""Measures AWS Batch beside ParallelCluster: how long a check and a rendering take, and a rehearsal.

A check and a rendering are those of the installed wheel, all in turn in every round; ratios are of medians within the
same rounds. Rehearsals come one after the other, after one of each kind that fills caches. Linux only.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

from command_line import install, medians_s

from rehearsal import Run, rehearsal
from trainyard.architectures import find_architecture

BATCH, PARALLELCLUSTER = "batch-p5", "p5-observability"
REHEARSED = ("batch-p4d", "batch-p5", "batch-p6-b200", "batch-trn1")
_LONGEST_REHEARSAL_S = 15.0


def specs(folder: Path) -> dict[str, Path]:
    """Write the architectures and return their files by name."""
    found = {}
    for name in (PARALLELCLUSTER, *REHEARSED):
        found[name] = folder / f"{name}.yaml"
        found[name].write_text(find_architecture(name).text)
    return found


def commands_s(folder: Path, spec: dict[str, Path], rounds: int) -> dict[tuple[str, str], float]:
    """Return the median time of a check and of a rendering for each of the two."""
    trainyard = str(install(folder / "environment") / "trainyard")
    commands = {}
    for name in (BATCH, PARALLELCLUSTER):
        commands[f"check {name}"] = [trainyard, "check", str(spec[name])]
        commands[f"render {name}"] = [trainyard, "render", str(spec[name]), "-o", str(folder / f"bundle-{name}")]
    median = medians_s(commands, rounds)
    return {(what, name): median[f"{what} {name}"] for what in ("check", "render") for name in (BATCH, PARALLELCLUSTER)}


def rehearsals(folder: Path, spec: dict[str, Path], rounds: int) -> dict[str, list[Run]]:
    """Rehearse every architecture in turn, so often after a first time."""
    runs: dict[str, list[Run]] = {name: [] for name in REHEARSED}
    for number in range(rounds + 1):
        for name in REHEARSED:
            run = rehearsal(spec[name], folder / f"report-{name}")
            if number:
                runs[name].append(run)
    return runs


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="of a check and a rendering")
    parser.add_argument("--rehearsals", type=int, default=3, help="of each architecture")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = specs(folder)
        median = commands_s(folder, spec, arguments.rounds)
        runs = rehearsals(folder, spec, arguments.rehearsals)
    print(f"\nMedians of {arguments.rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print(f"| What | {BATCH} | {PARALLELCLUSTER} | Ratio | Limit |\n|---|---|---|---|---|")
    for what in ("check", "render"):
        one, other = median[what, BATCH], median[what, PARALLELCLUSTER]
        print(f"| {what} | {one * 1000:.0f} ms | {other * 1000:.0f} ms | {one / other:.2f} | 1 |")
    print(f"\nMedians of {arguments.rehearsals} rehearsals of each\n")
    print("| A rehearsal of | By the clock | Of processors | Memory | Limit |\n|---|---|---|---|---|")
    for architecture, those in runs.items():
        wall_s = statistics.median(run.wall_s for run in those)
        cpu_s = statistics.median(sum(run.by_owner().values()) for run in those)
        peak_mb = statistics.median(run.peak_mb for run in those)
        limit = f"{_LONGEST_REHEARSAL_S:g} s"
        print(f"| `{architecture}` | {wall_s:.1f} s | {cpu_s:.1f} s | {peak_mb:.0f} MB | {limit} |")


if __name__ == "__main__":
    main()
