"""Measures how long a check of many files takes, and of one; `python benchmarks/check_files.py --files 1000`.

The files are the examples of every rule, good and bad, with a number in a comment so that no two are alike, in folders
of a hundred. Each figure is of new processes, in turn with the imports that every start makes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from command_line import install
from tests.examples import REST_OF_DOCUMENT, example_document, example_spec

from trainyard.rules import all_document_rules, all_rules

IMPORTS = ("-c", "import pydantic, yaml, click")


class Used(NamedTuple):
    """What a program took."""

    wall_s: float
    processor_s: float
    memory_mb: float


def used(words: Sequence[str]) -> Used:
    """Run a program to its end and return what it took."""
    installed = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # not the source tree
    start_s = time.perf_counter()
    with subprocess.Popen(words, env=installed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    wall_s = time.perf_counter() - start_s
    return Used(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def write_files(folder: Path, number: int) -> None:
    """Write so many files of every kind."""
    examples = [
        (kind, example_document(kind, part), kind in REST_OF_DOCUMENT)
        for rule in all_document_rules()
        for kind in rule.kinds[:1]
        for part in (rule.bad, rule.good)
        if part
    ]
    examples += [("spec", example_spec(rule.good), True) for rule in all_rules() if rule.good]
    for count, (kind, text, is_yaml) in enumerate(islice(cycle(examples), number)):
        below = folder / f"{count // 100:03}"
        below.mkdir(exist_ok=True)
        suffix = ".yaml" if is_yaml else {"dockerfile": "/Dockerfile"}.get(kind, ".sh")
        file = below / f"{count:05}-{kind}{suffix}"
        file.parent.mkdir(exist_ok=True)
        numbered = text if text.lstrip().startswith("{") else f"{text}\n# file {count}\n"
        file.write_text(numbered, encoding="utf-8")


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--files", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, given.files)
        one = {
            kind: str(next(folder.rglob(f"*-{kind}.yaml")))
            for kind in ("spec", "parallelcluster", "eksctl", "cloudformation", "kubernetes")
        }
        programs = install(folder / ".environment")
        check, floor = (str(programs / "trainyard"), "check"), (str(programs / "python"), *IMPORTS)
        commands = {"floor": floor, "all": (*check, name), **{kind: (*check, file) for kind, file in one.items()}}
        for words in commands.values():
            used(words)
        runs = [{what: used(words) for what, words in commands.items()} for _ in range(given.rounds)]
    median = {
        what: Used(*(statistics.median(values) for values in zip(*(run[what] for run in runs), strict=True)))
        for what in commands
    }
    every = median["all"]
    print(f"\nMedians of {given.rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| What | Measured | Limit |\n|---|---|---|")
    print(f"| {given.files:,} files in folders, by the clock | {every.wall_s:.2f} s | 10 s |")
    print(f"| the same, by processor | {every.processor_s:.2f} s | |")
    print(f"| the same, memory | {every.memory_mb:.0f} MB | 200 MB |")
    for kind in one:
        ratio = median[kind].processor_s / median["floor"].processor_s
        print(f"| one file, {kind}, of the import floor, by processor | {ratio:.2f} | |")


if __name__ == "__main__":
    main()
