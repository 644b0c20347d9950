"""Measures a rehearsal: how long, how much memory, and which process has used the processor. Linux only.

Samples /proc for the processes that a rehearsal starts. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

_EVERY_S = 0.05
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Whose a process is, by what its command line holds; the first that fits.
_OWNERS = {
    "emulated account": "trainyard.rehearsal.emulated",
    "ParallelCluster": "pcluster_command_worker",
    "CDK in Node": "node",
    "trainyard": "-m trainyard rehearse",
}


@dataclass
class Run:
    """What one rehearsal took."""

    wall_s: float = 0.0
    peak_mb: float = 0.0
    """Of all processes together, in 10^6 bytes. Pages that they share count more than once."""
    cpu_s: dict[int, tuple[str, float]] = field(default_factory=dict)
    """By process: whose it is, and its seconds of processor time when it was last seen."""

    def by_owner(self) -> dict[str, float]:
        """Return the seconds of processor time of each owner."""
        sums = dict.fromkeys([*_OWNERS, "other"], 0.0)
        for owner, seconds in self.cpu_s.values():
            sums[owner] += seconds
        return sums


def rehearsal(spec: Path, report: Path) -> Run:
    """Rehearse a spec once."""
    run, start = Run(), time.perf_counter()
    command = [sys.executable, "-m", "trainyard", "rehearse", str(spec), "--output", str(report), "--force"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            look(process.pid, run)
            time.sleep(_EVERY_S)
    run.wall_s = time.perf_counter() - start
    if process.returncode:
        raise SystemExit("the rehearsal failed; run it by hand")
    return run


def look(root: int, run: Run) -> None:
    """Add what the processes below a process use now."""
    memory = 0
    for pid in tree(root):
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # A process that has ended and was not waited for yet has no command line any more.
        known = run.cpu_s[pid][0] if pid in run.cpu_s else "other"
        owner = next((owner for owner, mark in _OWNERS.items() if mark in line), known)
        run.cpu_s[pid] = (owner, (int(stat[11]) + int(stat[12])) / _TICKS_A_SECOND)
        memory += int(stat[21]) * _PAGE_BYTES
    run.peak_mb = max(run.peak_mb, memory / 1e6)


def tree(root: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [root]
    for pid in found:
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            continue
        found += map(int, children)
    return found


def main() -> None:
    """Rehearse several times and print medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--architecture", default="p5-observability")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "cluster.yaml"
        made = [sys.executable, "-m", "trainyard", "new", arguments.architecture, "--output", str(spec)]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        rehearsal(spec, Path(folder) / "report")  # the first one fills caches
        runs = [rehearsal(spec, Path(folder) / "report") for _ in range(arguments.rounds)]
    print(f"\nMedians of {arguments.rounds} rehearsals of {arguments.architecture}, {os.cpu_count()} cores\n")
    print(f"wall {statistics.median(run.wall_s for run in runs):.1f} s")
    print(f"memory {statistics.median(run.peak_mb for run in runs):.0f} MB")
    owners = runs[0].by_owner()
    total = statistics.median(sum(run.by_owner().values()) for run in runs)
    for owner in owners:
        seconds = statistics.median(run.by_owner()[owner] for run in runs)
        print(f"processor time of {owner}: {seconds:.1f} s, {100 * seconds / total:.0f} %")


if __name__ == "__main__":
    main()
