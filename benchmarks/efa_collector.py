"""Measures one reading of the EFA collector, as text, against cat over the same files, by processor time. Linux only.

32 interfaces as on p5, in memory, so that no disk is measured. With --kernel every counter is a link to one of the
loopback device's: the kernel then makes it up at each reading, as it does EFA's. benchmarks/README.md keeps results.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests.node.collectors.efa_tree import EfaTree  # noqa: E402 - found where the line above says

from trainyard_node.clock import RealClock  # noqa: E402 - as above
from trainyard_node.collectors.efa import EfaCollector  # noqa: E402 - as above
from trainyard_node.machine import World  # noqa: E402 - as above
from trainyard_node.places import Places  # noqa: E402 - as above
from trainyard_node.processes import RealProcesses  # noqa: E402 - as above

_MEMORY = "/dev/shm"  # noqa: S108 - a temporary folder is made in it
_CAT = "/bin/cat"


def collector_s(collector: EfaCollector) -> float:
    """Return the processor time of a reading, from files to text."""
    start = time.process_time()
    collector.collect().text()
    return time.process_time() - start


def cat_s(files: list[str]) -> float:
    """Return the processor time of one cat over all files, its own start included."""
    to_null = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(_CAT, [_CAT, *files], os.environ, file_actions=to_null)
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit("cat failed")
    return usage.ru_utime + usage.ru_stime


def counters(root: str) -> list[str]:
    """Return the files under the names that a user would give to cat."""
    folder = Path(root, "sys/class/infiniband")
    return [str(file) for device in sorted(folder.iterdir()) for file in sorted(device.glob("**/hw_counters/*"))]


def made_up_by_the_kernel(files: list[str]) -> None:
    """Put a link to a counter of the kernel in the place of each file."""
    kernels = sorted(Path("/sys/class/net/lo/statistics").iterdir())
    for number, file in enumerate(files):
        Path(file).unlink()
        Path(file).symlink_to(kernels[number % len(kernels)])


def main() -> None:
    """Measure in turn, and print medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--kernel", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=_MEMORY) as root:
        EfaTree(Path(root)).instance("p5")
        files = counters(root)
        if arguments.kernel:
            made_up_by_the_kernel(files)
        collector = EfaCollector(World(Places(root), RealClock(), RealProcesses()))
        first = collector_s(collector)
        taken = [(collector_s(collector), cat_s(files)) for _ in range(arguments.rounds)]
    ours, cats = (statistics.median(times) for times in zip(*taken, strict=True))
    print(f"{len(files)} files, medians of {arguments.rounds} rounds, Python {platform.python_version()}")
    print(f"first reading {first * 1000:.1f} ms, each further one {ours * 1000:.1f} ms, cat {cats * 1000:.1f} ms")
    print(f"ratio {ours / cats:.2f} (limit 3)")


if __name__ == "__main__":
    main()
