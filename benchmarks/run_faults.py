"""Injects faults of ten kinds into runs of torch on a real Slurm, and counts those that recover unattended.

Each run has a lab of its own, a fault behind a step and nodes that a seed chooses: the same seed, the same series.
benchmarks/README.md keeps results. It takes root, `tools/slurm.sh` and `tools/torch.sh`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from random import Random
from typing import Any

from tests.lab.test_run_survival import FAULTS, STEPS, lab_folder, started, survives
from tests.node.newer_slurm import ROOT, SID_ROOT

_SLURMS = {"debian-12": None, "debian-13": ROOT, "sid": SID_ROOT}


def main() -> None:
    """Print a line of JSON for each fault, and the share of those that recovered."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--faults", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--slurm", choices=_SLURMS, help="one instead of all in turn")
    arguments.add_argument("--minutes", type=float, default=1e6, help="begin no other fault after so long")
    chosen = arguments.parse_args()
    end_s = time.monotonic() + 60 * chosen.minutes
    recovered = done = 0
    for number in range(chosen.faults):
        if time.monotonic() > end_s:
            break
        result = _fault(chosen.seed, number, chosen.slurm)
        print(json.dumps(result), flush=True)
        done += 1
        recovered += result["recovered"]
    print(f"{recovered} of {done} faults recovered unattended ({recovered / max(done, 1):.1%})")


def _fault(seed: int, number: int, slurm: str | None) -> dict[str, Any]:
    """Inject one. All kinds come equally often, and kinds and Slurms meet in every combination."""
    chance = Random(f"{seed} {number}")  # noqa: S311  a choice of cases
    kinds = Random(seed).sample(sorted(FAULTS), len(FAULTS))  # noqa: S311
    kind = kinds[number % len(kinds)]
    slurm = slurm or list(_SLURMS)[(number + number // len(kinds)) % len(_SLURMS)]
    step = chance.randrange(2, STEPS - 15)
    begin_s, cause = time.monotonic(), ""
    try:
        with lab_folder() as folder:
            survives(started(Path(folder), _SLURMS[slurm], seed=chance.randrange(1000)), FAULTS[kind], step)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the cause that is counted
        cause = f"{type(error).__name__}: {error}"[-2000:]
    taken_s = round(time.monotonic() - begin_s)
    return {"number": number, "fault": kind, "slurm": slurm, "step": step, "seconds": taken_s,
            "recovered": not cause, "cause": cause}  # fmt: skip


if __name__ == "__main__":
    main()
