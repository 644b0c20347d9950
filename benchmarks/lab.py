"""Measures a lab of many nodes: how long until all are idle, what memory they take, how long until nothing is left.

benchmarks/README.md keeps results. It takes root.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from trainyard.lab.lab_process import daemons

_SPEC = """\
kind: cluster
name: lab-benchmark
platform: parallelcluster
region: us-east-2
network: {{availability_zone: us-east-2a}}
head_node: {{instance_type: m5.2xlarge}}
queues:
  - {{name: gpu, instance_type: p5.48xlarge, nodes: {nodes}}}
"""


def main() -> None:
    """Print the seconds of ``lab up`` and ``lab down``, and the memory between them."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--nodes", type=int, default=1000)
    arguments.add_argument("--root", help="as of lab up")
    chosen = arguments.parse_args()
    # Names of sockets may not be long.
    with TemporaryDirectory(prefix="lab-", dir="/tmp") as folder:
        spec = Path(folder, "cluster.yaml")
        spec.write_text(_SPEC.format(nodes=chosen.nodes), encoding="utf-8")
        up_s = _seconds(folder, "up", str(spec), *(["--root", chosen.root] if chosen.root else []))
        try:
            found = daemons(Path(folder, "labs", "lab-benchmark"))
            memory_gb = sum(_proportional_kib(process.id) for process in found) * 1024 / 1e9
        finally:
            down_s = _seconds(folder, "down")
    print(f"{chosen.nodes} nodes: up {up_s:.1f} s, {len(found)} processes {memory_gb:.1f} GB, down {down_s:.1f} s")


def _seconds(folder: str, *words: str) -> float:
    begin = time.monotonic()
    command = [sys.executable, "-m", "trainyard", "lab", *words]
    subprocess.run(command, env={**os.environ, "TRAINYARD_STATE": folder}, check=True)
    return time.monotonic() - begin


def _proportional_kib(process: int) -> int:
    """Return the memory of a process, what it shares with others divided among them."""
    lines = Path("/proc", str(process), "smaps_rollup").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main()
