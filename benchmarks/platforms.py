"""Measures AWS Batch and Amazon EKS beside ParallelCluster: how long a check and a rendering take, and rehearsals.

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

COMPARED = ("batch-p5", "eks-p5-capacity-block", "p5-observability")
REHEARSED = {
    "batch": ("batch-p4d", "batch-p5", "batch-p6-b200", "batch-trn1"),
    "eks": (
        "eks-g4dn",
        "eks-g4dn-vpc",
        "eks-p4de-odcr",
        "eks-p4de-odcr-vpc",
        "eks-p5-capacity-block",
        "eks-p6-b200-odcr",
        "eks-trn1",
    ),
}
_LONGEST_REHEARSAL_S = 15.0


def specs(folder: Path, names: set[str]) -> dict[str, Path]:
    """Write the architectures and return their files by name."""
    found = {}
    for name in names:
        found[name] = folder / f"{name}.yaml"
        found[name].write_text(find_architecture(name).text)
    return found


def commands_s(folder: Path, spec: dict[str, Path], rounds: int) -> dict[tuple[str, str], float]:
    """Return the median time of a check and of a rendering for each of those that are compared."""
    trainyard = str(install(folder / "environment") / "trainyard")
    commands = {}
    for name in COMPARED:
        commands[f"check {name}"] = [trainyard, "check", str(spec[name])]
        commands[f"render {name}"] = [trainyard, "render", str(spec[name]), "-o", str(folder / f"bundle-{name}")]
    median = medians_s(commands, rounds)
    return {(what, name): median[f"{what} {name}"] for what in ("check", "render") for name in COMPARED}


def rehearsals(folder: Path, spec: dict[str, Path], names: tuple[str, ...], rounds: int) -> dict[str, list[Run]]:
    """Rehearse every architecture in turn, so often after a first time."""
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(rounds + 1):
        for name in names:
            run = rehearsal(spec[name], folder / f"report-{name}")
            if number:
                runs[name].append(run)
    return runs


def print_commands(median: dict[tuple[str, str], float]) -> None:
    """Print checks and renderings beside those of ParallelCluster, which comes last."""
    *others, parallelcluster = COMPARED
    print(f"| What | {parallelcluster} | {' | | '.join(others)} | | Limit |\n|---{'|---' * (2 * len(COMPARED))}|")
    for what in ("check", "render"):
        reference = median[what, parallelcluster]
        cells = [f"{median[what, one] * 1000:.0f} ms | {median[what, one] / reference:.2f}" for one in others]
        print(f"| {what} | {reference * 1000:.0f} ms | {' | '.join(cells)} | 1 |")


def print_rehearsals(runs: dict[str, list[Run]]) -> None:
    """Print what a rehearsal of each took."""
    print("| A rehearsal of | By the clock | Of processors | Memory | Limit |\n|---|---|---|---|---|")
    for architecture, those in runs.items():
        wall_s = statistics.median(run.wall_s for run in those)
        cpu_s = statistics.median(sum(run.by_owner().values()) for run in those)
        peak_mb = statistics.median(run.peak_mb for run in those)
        limit = f"{_LONGEST_REHEARSAL_S:g} s"
        print(f"| `{architecture}` | {wall_s:.1f} s | {cpu_s:.1f} s | {peak_mb:.0f} MB | {limit} |")


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="of a check and a rendering")
    parser.add_argument("--rehearsals", type=int, default=3, help="of each architecture")
    parser.add_argument("--platform", choices=list(REHEARSED), action="append", help="whose architectures to rehearse")
    arguments = parser.parse_args()
    rehearsed = tuple(name for platform in arguments.platform or REHEARSED for name in REHEARSED[platform])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = specs(folder, {*COMPARED, *rehearsed})
        median = commands_s(folder, spec, arguments.rounds)
        runs = rehearsals(folder, spec, rehearsed, arguments.rehearsals)
    print(f"\nMedians of {arguments.rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print_commands(median)
    print(f"\nMedians of {arguments.rehearsals} rehearsals of each\n")
    print_rehearsals(runs)


if __name__ == "__main__":
    main()
