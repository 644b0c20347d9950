"""A /proc/stat as the kernel writes it: https://man7.org/linux/man-pages/man5/proc_stat.5.html."""

from __future__ import annotations

from pathlib import Path


def show_cpus(root: Path, cpus: int, idle_ticks_each: int = 1000) -> None:
    """Write one of so many CPUs that are alike."""
    file = root / "proc/stat"
    file.parent.mkdir(parents=True, exist_ok=True)
    names = ["", *map(str, range(cpus))]
    counts = [cpus * idle_ticks_each, *[idle_ticks_each] * cpus]
    lines = [f"cpu{name:<2} 7 0 5 {count} 1 0 2 0 0 0" for name, count in zip(names, counts, strict=True)]
    file.write_text("\n".join([*lines, "intr 8 0 1", "ctxt 99", "btime 1760000000", "procs_running 2"]) + "\n")
