"""Measures the command line against its references, side by side. `make benchmark` runs it.

Installs the wheel, with its bytecode, into a temporary environment: what a user has. Every round runs every command
once, in turn, so that a slow moment of the machine hits all of them; ratios are of medians within the same rounds.
benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import uv

from trainyard.architectures import find_architecture
from trainyard.edge.pcluster import environment

ROOT = Path(__file__).parent.parent
VERSION = "3.16.1"

QUEUE = """\
  - name: queue-{n}
    compute_resources:
      - {{name: p5, instance_type: p5.48xlarge, nodes: 4, capacity: {{reservation: cr-0123456789abcde{n:02d}}}}}
"""
BOMB = 'a: &a ["x","x","x","x","x","x","x","x","x"]\n' + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


def install(folder: Path) -> Path:
    """Install the wheel of this tree into a new environment and return its folder of programs."""
    variables = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(folder)}
    command = [uv.find_uv_bin(), "sync", "--frozen", "--no-dev", "--no-editable", "--compile-bytecode", "--project"]
    subprocess.run([*command, str(ROOT)], env=variables, check=True, stderr=subprocess.DEVNULL)
    return folder / "bin"


class Time(NamedTuple):
    """What a command took."""

    clock_s: float
    processor_s: float


def time_of(command: list[str]) -> Time:
    """Return how long a command takes. Any exit status counts: pcluster and findings have their own."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Time(time.perf_counter() - start, used)


def peak_mb(command: list[str]) -> float:
    """Return the largest memory that a command held, in 10^6 bytes."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execv(command[0], command)
    _, _, usage = os.wait4(child, 0)
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there, in KiB elsewhere
    return usage.ru_maxrss * unit / 1e6


def median_times(commands: dict[str, list[str]], rounds: int) -> dict[str, Time]:
    """Return the median times of each command over rounds that run all of them in turn."""
    for command in commands.values():
        time_of(command)
    taken: dict[str, list[Time]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            taken[name].append(time_of(command))
    return {
        name: Time(*(statistics.median(values) for values in zip(*times, strict=True))) for name, times in taken.items()
    }


def medians_s(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the median time of each command by the clock."""
    return {name: times.clock_s for name, times in median_times(commands, rounds).items()}


def files(folder: Path) -> dict[str, Path]:
    """Write the inputs and return them by name."""
    queues = "".join(QUEUE.format(n=n) for n in range(50))
    texts = {
        "p5-observability": find_architecture("p5-observability").text,
        "50 queues": f"name: big\nregion: us-east-2\nplatform: parallelcluster\nqueues:\n{queues}",
        "alias bomb": BOMB,
    }
    found = {}
    for name, text in texts.items():
        found[name] = folder / f"{name.replace(' ', '-')}.yaml"
        found[name].write_text(text)
    found["100 MB"] = folder / "large.yaml"
    with found["100 MB"].open("wb") as large:
        for _ in range(100):
            large.write(b"a: b # line\n" * 83_334)
    return found


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    pcluster = environment(VERSION, print).bin_folder / "pcluster"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = install(folder / "environment")
        spec = files(folder)
        trainyard, python = str(programs / "trainyard"), str(programs / "python")
        times = median_times(
            {
                "import": [python, "-c", "import pydantic, yaml, click"],
                "pcluster": [str(pcluster), "version"],
                "help": [trainyard, "--help"],
                "check": [trainyard, "check", str(spec["p5-observability"])],
                "render": [trainyard, "render", str(spec["p5-observability"]), "-o", str(folder / "bundle")],
                "check 50": [trainyard, "check", str(spec["50 queues"])],
                "render 50": [trainyard, "render", str(spec["50 queues"]), "-o", str(folder / "bundle50")],
                "bomb": [trainyard, "check", str(spec["alias bomb"])],
                "100 MB": [trainyard, "check", str(spec["100 MB"])],
            },
            rounds,
        )
        peak = {name: peak_mb([trainyard, "check", str(spec[name])]) for name in spec}
    median = {name: taken.clock_s for name, taken in times.items()}
    used = {name: taken.processor_s for name, taken in times.items()}
    rows = [
        ("check / bare import of its dependencies, by processor", used["check"] / used["import"], "ratio", 1.6),
        ("render / check, by processor", used["render"] / used["check"], "ratio", 2.0),
        ("check / bare import of its dependencies", median["check"] / median["import"], "ratio", 1.6),
        ("check / pcluster version", median["check"] / median["pcluster"], "ratio", 0.7),
        ("render / check", median["render"] / median["check"], "ratio", 2.0),
        ("check of 50 queues", median["check 50"], "s", 2.0),
        ("render of 50 queues", median["render 50"], "s", 2.0),
        ("check of 50 queues, memory", peak["50 queues"], "MB", 150.0),
        ("check of an alias bomb", median["bomb"], "s", 1.0),
        ("check of an alias bomb, memory", peak["alias bomb"], "MB", 200.0),
        ("check of a 100 MB file", median["100 MB"], "s", None),
        ("check of a 100 MB file, memory", peak["100 MB"], "MB", None),
    ]
    print(f"\nMedians of {rounds} rounds, Python {sys.version.split()[0]}, {os.cpu_count()} cores\n")
    print("| What | Measured | Limit |\n|---|---|---|")
    for what, value, unit, limit in rows:
        print(f"| {what} | {value:.2f} {unit} | {'' if limit is None else f'{limit:g} {unit}'} |")
    print("\n| Command | Median | Processor |\n|---|---|---|")
    for what, taken in times.items():
        print(f"| {what} | {taken.clock_s * 1000:.0f} ms | {taken.processor_s * 1000:.0f} ms |")


if __name__ == "__main__":
    main()
