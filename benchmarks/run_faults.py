"""Injects faults of twenty kinds into runs on a real Slurm, and counts those that recover unattended.

The runs train nothing, by a stand-in for torch whose ranks, steps, checkpoints and progress are as those of a real one;
tests/lab/test_run_survival.py has the same with torch. Several labs run beside each other, each in a network of its
own, and each run takes one fault after the other. The same seed gives the same series of faults.
benchmarks/README.md keeps results. It takes root and `tools/slurm.sh`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.lab.fault_series import SLURMS  # noqa: E402 - found where the line above says
from tests.lab.training_faults import FAULTS  # noqa: E402 - as above


def main() -> None:
    """Print a line of JSON for each fault, and the share of those that recovered."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--faults", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--slurm", choices=SLURMS, default="sid")
    arguments.add_argument("--beside", type=int, default=2, help="how many labs run beside each other")
    chosen = arguments.parse_args()
    order = list(_order(chosen.faults, chosen.seed))
    parts = [order[number :: chosen.beside] for number in range(chosen.beside)]
    with ThreadPoolExecutor(chosen.beside) as pool:
        seeds = range(1000 * chosen.seed, 1000 * chosen.seed + chosen.beside)
        recovered = [one for part in pool.map(_series, parts, seeds, [chosen.slurm] * len(parts)) for one in part]
    share = sum(recovered) / max(len(recovered), 1)
    print(f"{sum(recovered)} of {len(recovered)} faults recovered unattended ({share:.1%})")


def _order(count: int, seed: int) -> Iterator[str]:
    """Yield faults in an order that is drawn, each kind as often as the others."""
    chance = Random(seed)  # noqa: S311  a choice of cases
    while count > 0:
        yield from chance.sample(sorted(FAULTS), min(count, len(FAULTS)))
        count -= len(FAULTS)


def _series(faults: list[str], seed: int, slurm: str) -> list[bool]:
    own = (sys.executable, "-m", "tests.lab.fault_series", "--slurm", slurm, "--seed", str(seed))
    # However busy the machine is.
    environment = {"HANGS_S": "1800", **os.environ, "PYTHONPATH": str(ROOT)}
    recovered = []
    with subprocess.Popen(
        ("/usr/bin/unshare", "--net", *own, *faults), cwd=ROOT, env=environment,
        stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        for line in process.stdout or ():
            print(line, end="", flush=True)
            recovered.append(bool(json.loads(line)["recovered"]))
    return [*recovered, *[False] * (len(faults) - len(recovered))]


if __name__ == "__main__":
    main()
