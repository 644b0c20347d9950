"""Prints how many examples of signatures are still found when a program says the same in other words.

benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.diagnose.mutations import outcomes

from trainyard.diagnose.cause import signatures


def main() -> None:
    """Print a table, and with --lost what is not found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lost", action="store_true", help="print the lines that are not found")
    is_shown = parser.parse_args().lost
    lines, found = Counter[str](), Counter[str]()
    for outcome in outcomes(list(signatures().values())):
        lines[outcome.mutation] += 1
        found[outcome.mutation] += outcome.is_found
        if is_shown and not outcome.is_found:
            print(f"{outcome.mutation}: {outcome.signature}: {outcome.line}")
    for name, count in lines.items():
        print(f"| {name} | {found[name]} of {count} | {found[name] / count:.1%} |")
    print(f"| all | {found.total()} of {lines.total()} | {found.total() / lines.total():.1%} |")


if __name__ == "__main__":
    main()
