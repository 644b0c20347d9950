"""Prints how often `diagnose` is right where it says "certain" or "likely", over all cases whose cause is known.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.diagnose.calibration import judgements, table


def main() -> None:
    """Print the table, and below it the cases that are answered wrong."""
    with tempfile.TemporaryDirectory() as folder:
        judged = list(judgements(Path(folder)))
    print(table(judged))
    for one in judged:
        if not one.is_right:
            print(f"wrong: {one.sort}, {one.id}: {one.confidence}, {one.subject}")


if __name__ == "__main__":
    main()
