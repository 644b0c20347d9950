"""Measures the report of a month of 64 nodes: a step every five seconds, a checkpoint every half hour, 30 failures.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_STEP_S, _BEGIN_S, _DAYS, _NODES = 5, 1_780_000_000, 30, 64


def main() -> None:
    """Write the progress of a month, and print time and memory of the command."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, jobs = Path(temporary), []
        with (folder / "rank-0.jsonl").open("w", encoding="utf-8") as lines:
            for day in range(_DAYS):
                begin_s = _BEGIN_S + 86_400 * day
                time_s = {"start": begin_s, "end": begin_s + 86_000}
                gpus = {"type": "gres", "name": "gpu", "count": 8 * _NODES}
                job = {"job_id": 7, "name": "month", "nodes": f"n[1-{_NODES}]", "restart_cnt": day, "time": time_s}
                jobs.append({**job, "state": {"current": ["NODE_FAIL"]}, "tres": {"allocated": [gpus]}})
                _write_day(lines.write, day, begin_s + 120)
        (folder / "jobs.json").write_text(json.dumps({"jobs": jobs}), encoding="utf-8")
        size_mb = (folder / "rank-0.jsonl").stat().st_size / 1e6
        begin = time.monotonic()
        command = [sys.executable, "-m", "trainyard", "run", "report", "--jobs", str(folder / "jobs.json"),
                   "--progress", str(folder), "--json"]  # fmt: skip
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        taken_s = time.monotonic() - begin
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor_s, peak_mb = used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3
        told = json.loads(done.stdout)["total"]
        times = f"{taken_s:.1f} s, {processor_s:.1f} s of processor"
        print(f"{size_mb:.0f} MB of lines: {times}, {peak_mb:.0f} MB, goodput {told['goodput']:.3f}")


def _write_day(write: Callable[[str], object], day: int, begin_s: int) -> None:
    head = {"rank": 0, "node": "n1"}
    write(json.dumps({"time": begin_s, **head, "event": "start", "job": 7, "attempt": day}) + "\n")
    first = day * 17_000
    for step in range(17_100):
        now_s = begin_s + _STEP_S * (step + 1)
        line = {"time": now_s + 0.123456, **head, "step": first + step, "step_seconds": 4.9, "loss": 2.5}
        write(json.dumps({**line, "tokens": 8192, "flops": 6.1e12}) + "\n")
        if step % 360 == 0:
            for event in ("save_begin", "save_end"):
                write(json.dumps({"time": now_s + 0.2, **head, "event": event, "step": first + step + 1}) + "\n")


if __name__ == "__main__":
    main()
