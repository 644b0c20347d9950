"""Measures looking through an exported archive of logs, beside the documented way and beside only unpacking it.

The documented way is `tar -xzf` into a folder and `grep -rE` with the same number of patterns. All of them run in turn,
each in a new process. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_parsing import Ran, run
from diagnose_archive import write_archive

from trainyard.diagnose.cause import signatures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.diagnose.cause import Cause, Signature

COUNTS = (50, 100, 200)
SCAN = """
import sys
from trainyard.diagnose.cause import signatures
from trainyard.diagnose.reading import log_files
from trainyard.diagnose.scanning.scan import scan
sys.path.insert(0, sys.argv[3])
from diagnose import chosen
with log_files(sys.argv[1]) as source:
    found = scan(source.files, unread=source.unread, signature_table=chosen(int(sys.argv[2])))
print(found.files, found.size_bytes, sum(one.count for one in found.signature_hits))
"""
UNPACK = """
import gzip, sys
with gzip.open(sys.argv[1]) as file:
    while file.read(2**20):
        pass
"""
# What RE2 knows and grep does not. Both find the same, or nearly.
_FOR_GREP = {r"(?:": "(", r"\d": "[0-9]", r"\s": "[[:space:]]", r"\S": "[^[:space:]]", r"*?": "*", r"+?": "+"}


def chosen(count: int) -> Mapping[str, tuple[Signature, Cause]]:
    """Return so many signatures, evenly from all; those that there are where there are not so many."""
    every = list(signatures().items())
    step = max(1.0, len(every) / count)
    places = (int(number * step) for number in range(count))
    return dict(every[place] for place in places if place < len(every))


def grep_pattern(pattern: str) -> str:
    """Return a pattern in the syntax of grep -E."""
    for theirs, ours in _FOR_GREP.items():
        pattern = pattern.replace(theirs, ours)
    return re.sub(r"\\(?=['\"<>%#:/@&,=!`~-])", "", pattern)


def documented(archive: Path, folder: Path, count: int) -> Ran:
    """Unpack and grep."""
    target, patterns = folder / "unpacked", folder / "patterns.txt"
    target.mkdir()
    patterns.write_text("".join(f"{grep_pattern(one.pattern)}\n" for one, _ in chosen(count).values()))
    tar = run(["tar", "-xzf", str(archive), "-C", str(target)])
    grep = run(["grep", "-rE", "-f", str(patterns), str(target)], {"LC_ALL": "C"})
    shutil.rmtree(target)
    print(f"  tar {tar.wall_s:.1f} s, grep {grep.wall_s:.1f} s", flush=True)
    return Ran(tar.wall_s + grep.wall_s, tar.cpu_s + grep.cpu_s, max(tar.peak_mb, grep.peak_mb))


def scanned(archive: Path, count: int) -> Ran:
    """Look through it by trainyard's own way."""
    return run([sys.executable, "-c", SCAN, str(archive), str(count), str(Path(__file__).parent)])


def medians(runs: list[Ran]) -> Ran:
    """Return the median of each figure."""
    return Ran(*(statistics.median(values) for values in zip(*runs, strict=True)))


def main() -> None:
    """Print every figure with its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-documented", action="store_true", help="leave out tar and grep, which take long")
    arguments = parser.parse_args()
    taken: dict[str, list[Ran]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        archive, half = folder / "archive.tar.gz", folder / "half.tar.gz"
        write_archive(archive, arguments.megabytes)
        write_archive(half, arguments.megabytes // 2)
        print(f"{arguments.megabytes} MB, packed {archive.stat().st_size / 1e6:.0f} MB", flush=True)
        ways = {f"scan, {count} signatures": (lambda count=count: scanned(archive, count)) for count in COUNTS}
        ways["scan, half the size"] = lambda: scanned(half, COUNTS[-1])
        ways["only unpacking"] = lambda: run([sys.executable, "-c", UNPACK, str(archive)])
        if not arguments.without_documented:
            ways["tar and grep"] = lambda: documented(archive, folder, COUNTS[-1])
        for _ in range(arguments.rounds):
            for way, measure in ways.items():
                taken.setdefault(way, []).append(measure())
    report({way: medians(runs) for way, runs in taken.items()}, arguments.rounds)


def report(median: dict[str, Ran], rounds: int) -> None:
    """Print times and ratios."""
    print(f"medians of {rounds} rounds, Python {platform.python_version()}, {len(signatures())} signatures in all")
    for way, ran in median.items():
        print(f"{way}: {ran.wall_s:.2f} s, {ran.cpu_s:.2f} s of processors, {ran.peak_mb:.0f} MB")
    few, _, ours = (median[f"scan, {count} signatures"] for count in COUNTS)
    half, unpacking = median["scan, half the size"], median["only unpacking"]
    rows = [("speed by that of only unpacking", unpacking, ours, "at least 0.4"),
            ("200 signatures by 50", ours, few, "weakly more than 1"),
            ("the whole by half of it", ours, half, "2")]  # fmt: skip
    if "tar and grep" in median:
        rows.insert(0, ("speed by that of tar and grep", median["tar and grep"], ours, "at least 3"))
    for what, one, other, limit in rows:
        wall, cpu = one.wall_s / other.wall_s, one.cpu_s / other.cpu_s
        print(f"{what}: {wall:.2f} by the clock, {cpu:.2f} by processor time ({limit})")
    print(f"memory: {ours.peak_mb:.0f} MB (below 300)")


if __name__ == "__main__":
    main()
