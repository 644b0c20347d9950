"""Prints how many pairs of failures that have nothing to do with each other `diagnose` takes for one.

The failures are the blind cases, each in the log of a node of its own, within the same hour. benchmarks/README.md keeps
results.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.diagnose.log_cases import BLIND

from trainyard.api.diagnose import diagnose_files

_SEED = 7
_HOUR = re.compile(r"20\d\d-\d\d-\d\d([T ])\d\d")


def main() -> None:
    """Print the number of pairs, and of those that are taken for one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=400)
    count = parser.parse_args().pairs
    chance = random.Random(_SEED)  # noqa: S311  it draws cases
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        failures = [case for case in BLIND if case["decisive"] is not None]
        firsts = {case["id"]: first for case in failures if (first := _causes(folder / case["id"], [case])[:1])}
        known = [case for case in failures if case["id"] in firsts]
        pairs = [chance.sample(known, 2) for _ in range(count)]
        different = [pair for pair in pairs if firsts[pair[0]["id"]] != firsts[pair[1]["id"]]]
        taken = sum(
            not {*firsts[one["id"]], *firsts[other["id"]]} <= {*_causes(folder / f"pair-{number}", [one, other])}
            for number, (one, other) in enumerate(different)
        )
    print(f"{len(different)} pairs, one is told as following from the other in {taken}")


def _causes(folder: Path, cases: list[dict[str, Any]]) -> list[str]:
    """Return what nothing else explains in the logs of cases, each of a node of its own."""
    folder.mkdir()
    for number, case in enumerate(cases, 4):
        log = folder / f"ip-10-77-0-{number}.i-0aaaaaaaaaaaaaa{number:02}.{Path(case['stream']).name}"
        log.write_text(_HOUR.sub(r"2026-05-04\g<1>10", "".join(f"{line}\n" for line in case["lines"])))
    return [diagnosed.cause.id for diagnosed in diagnose_files(str(folder)).causes]


if __name__ == "__main__":
    main()
