"""Measures how fast a large log of NCCL with results in it is read, beside grep with the same patterns.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.bench.texts import CLOSING, HEADER, LOG, OPENING, rows

from trainyard.bench.log_scan import MARKS

_LINES_OF_A_RANK = 24


class Ran(NamedTuple):
    """What a program has taken."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    """In 10^6 bytes."""


def run(command: list[str], environment: dict[str, str] | None = None) -> Ran:
    """Run a program to its end, without its output; it may find something, which is status 1, or what is unknown, 3."""
    start = time.perf_counter()
    # Not to /dev/null: grep then stops at the first match.
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}
        )
        _, status, used = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in {0, 1, 3}:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return Ran(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6)


def write_log(file: Path, megabytes: int) -> None:
    """Write a log with NCCL_DEBUG=INFO: what ranks say of their channels, and the table in the middle."""
    table = "".join(f"{line}\n" for line in (*HEADER, *rows(), *CLOSING)).encode()
    with file.open("wb") as log:
        log.write("".join(f"{line}\n" for line in (*OPENING, *LOG)).encode())
        rank = 0
        while log.tell() < megabytes * 1e6 / 2:
            rank = _write_rank(log, rank)
        log.write(table)
        while log.tell() < megabytes * 1e6:
            rank = _write_rank(log, rank)


def _write_rank(log: object, rank: int) -> int:
    host, process = f"p5-dy-{rank // 8 % 1024 + 1}", 4000 + rank % 8
    lines = [
        f"{host}:{process}:{process + 88} [{rank % 8}] NCCL INFO Channel {channel:02}/0 : {rank}[{rank % 8}] -> "
        f"{rank + 8}[{rank % 8}] [send] via NET/Libfabric/{channel % 4}/GDRDMA"
        for channel in range(_LINES_OF_A_RANK - 2)
    ]
    lines.append(f"{host}:{process}:{process + 88} [0] NCCL INFO Trees [0] {rank}/-1/-1->{rank + 1}->-1")
    lines.append(f"{host}:{process}:{process + 88} [0] NCCL INFO P2P Chunksize set to 131072")
    log.write("".join(f"{line}\n" for line in lines).encode())  # type: ignore[attr-defined]
    return rank + 1


def main() -> None:
    """Print medians, and the ratio of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    # grep has no groups that do not capture.
    pattern = re.sub(r"\(\?:", "(", MARKS.decode())
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder) / "large.out", Path(folder) / "small.out"
        write_log(large, arguments.megabytes)
        write_log(small, 0)
        judge = [sys.executable, "-m", "trainyard", "bench", "judge", "--instance-type", "p5.48xlarge", "--nodes", "2"]
        rounds = [
            (
                run(["grep", "-cE", pattern, str(large)], {"LC_ALL": "C"}),
                run([*judge, str(large)]),
                run([*judge, str(small)]),
            )
            for _ in range(arguments.rounds)
        ]
    grep, ours, cold = (list(one) for one in zip(*rounds, strict=True))
    print(f"{arguments.megabytes} MB, medians of {arguments.rounds} rounds, Python {platform.python_version()}")
    for name, ran in (("grep", grep), ("bench judge", ours), ("bench judge, a small file, cold", cold)):
        wall_s, cpu_s = (statistics.median(getattr(one, key) for one in ran) for key in ("wall_s", "cpu_s"))
        print(f"{name}: {wall_s:.2f} s, {cpu_s:.2f} s of a processor, {max(one.peak_mb for one in ran):.0f} MB")
    speed = statistics.median(one.cpu_s / other.cpu_s for one, other in zip(grep, ours, strict=True))
    print(f"speed of bench judge by that of grep, by processor time: {speed:.2f} (at least 0.25)")


if __name__ == "__main__":
    main()
