"""Samples a rehearsal with py-spy and tells which package's code each of its Python processes was running.

A sample belongs to the innermost package of its stack: what the standard library does belongs to whoever called it.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Whose a process is, by what its command line holds; the first that fits.
_PROCESSES = {
    "emulated account": "trainyard.rehearsal.emulated",
    "ParallelCluster": "pcluster_command_worker",
    "trainyard": "-m trainyard rehearse",
}
_PACKAGE = re.compile(r"/site-packages/([^/:]+)|/src/(trainyard)/")
_SHOWN = 8


def samples_by_package(raw: Iterable[str]) -> Mapping[str, Counter[str]]:
    """Return the samples of each process by package, from py-spy's raw format: ``frame;frame;… count``."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for line in raw:
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        process = next(frame for frame in reversed(frames) if frame.startswith("process "))
        whose = next((whose for whose, mark in _PROCESSES.items() if mark in process), "other")
        found[whose][_package(frames)] += int(count)
    return found


def _package(frames: list[str]) -> str:
    for frame in reversed(frames):
        if not frame.startswith("process ") and (package := _PACKAGE.search(frame)):
            return package[1] or package[2]
    return "start of Python"


def main() -> None:
    """Rehearse once under py-spy and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--architecture", default="p5-observability")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spec, raw = Path(folder) / "cluster.yaml", Path(folder) / "raw.txt"
        made = [sys.executable, "-m", "trainyard", "new", arguments.architecture, "--output", str(spec)]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        sampled = ["py-spy", "record", "--format", "raw", "--full-filenames", "--subprocesses", "--output", str(raw)]
        rehearsed = [sys.executable, "-m", "trainyard", "rehearse", str(spec), "--output", f"{folder}/report"]
        subprocess.run([*sampled, "--", *rehearsed], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with raw.open() as lines:
            found = samples_by_package(lines)
    for whose, packages in found.items():
        total = packages.total()
        shares = ", ".join(f"{package} {100 * count / total:.0f} %" for package, count in packages.most_common(_SHOWN))
        print(f"{whose}: {total} samples, of them {shares}")
        print(f"  trainyard's own code: {100 * packages['trainyard'] / total:.1f} %")


if __name__ == "__main__":
    main()
