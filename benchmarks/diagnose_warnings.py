"""Measures diagnosing logs of which every line is found, NCCL's warnings by one node and by many, and random text.

Random text is of words, and of base64. Each is diagnosed in a new process. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_parsing import run

if TYPE_CHECKING:
    from collections.abc import Callable

_CATALOGUE = Path(__file__).parents[1] / "tests/diagnose/catalogues/nccl-warn.json"
# What stands for a value in the catalogue.
_VALUE = re.compile(r"0x[0-9a-f]+|\b(?:[0-9]+|1f|name)\b")
# Of a rank: its own, and those that NCCL starts.
_THREADS = 8
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORDS = ("error", "failed", "timeout", "step", "loss", "worker", "cannot", "token")


def write_warnings(file: Path, megabytes: int, nodes: int) -> None:
    """Write warnings of NCCL, no two of them alike, by ranks of so many nodes."""
    drawn = random.Random(9)  # noqa: S311  logs, not secrets
    messages = json.loads(_CATALOGUE.read_text())["messages"]
    _write(file, megabytes, lambda: _warning(drawn, drawn.choice(messages), nodes))


def write_words(file: Path, megabytes: int) -> None:
    """Write lines of letters that mean nothing, some of which look like trouble."""
    drawn = random.Random(9)  # noqa: S311  logs, not secrets
    _write(file, megabytes, lambda: " ".join(_word(drawn) for _ in range(10)))


def write_base64(file: Path, megabytes: int) -> None:
    """Write lines of 76 characters of base64, of random bytes."""
    drawn = random.Random(9)  # noqa: S311  logs, not secrets
    _write(file, megabytes, lambda: base64.b64encode(drawn.randbytes(57)).decode())


def _warning(drawn: random.Random, message: str, nodes: int) -> str:
    node, device = drawn.randrange(nodes), drawn.randrange(8)
    process, thread, line = 4000 + device, 4100 + drawn.randrange(_THREADS) * 511, drawn.randrange(20, 2000)
    text = _VALUE.sub(lambda match: _value(drawn, match[0]), message)
    return f"ip-10-0-{node // 250}-{node % 250}:{process}:{thread} [{device}] misc/init.cc:{line} NCCL WARN {text}"


def _value(drawn: random.Random, value: str) -> str:
    if value.startswith("0x"):
        return f"0x{drawn.getrandbits(46):x}"
    return f"ens{drawn.randrange(64)}" if value == "name" else str(drawn.randrange(10_000))


def _word(drawn: random.Random) -> str:
    if drawn.random() < 0.02:
        return drawn.choice(_WORDS)
    return "".join(drawn.choices(_LETTERS, k=drawn.randrange(3, 12)))


def _write(file: Path, megabytes: int, line: Callable[[], str]) -> None:
    with file.open("w") as log:
        while log.tell() < megabytes * 1e6:
            log.writelines(f"{line()}\n" for _ in range(1000))


def main() -> None:
    """Print what each of the logs takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    megabytes = parser.parse_args().megabytes
    logs: dict[str, Callable[[Path], None]] = {
        "warnings of one node": lambda file: write_warnings(file, megabytes, 1),
        "warnings of 100 nodes": lambda file: write_warnings(file, megabytes, 100),
        "words": lambda file: write_words(file, megabytes),
        "base64": lambda file: write_base64(file, megabytes),
    }
    for what, write in logs.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "slurm-41.out"
            write(file)
            ran = run([sys.executable, "-m", "trainyard", "diagnose", str(file)])
        speed = f"{megabytes / ran.cpu_s:.1f} MB/s of a processor"
        print(f"{what}: {ran.wall_s:.1f} s, {ran.cpu_s:.1f} s of processors, {speed}, {ran.peak_mb:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
