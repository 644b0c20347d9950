"""What this node reads from and writes to Lustre, and how long it waits for it, as the client in the kernel counts.

Servers count by job too (job_stats), but those of Amazon FSx show that to nobody; so what a job moves is what its nodes
move. Since Lustre 2.12 the counters are in debugfs, which only root may enter: the service has that one folder of it.
https://doc.lustre.org/lustre_manual.xhtml
https://github.com/lustre/lustre-release/blob/master/lustre/llite/lproc_llite.c
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from trainyard_node.collectors.collector import NothingHere
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.samples import Samples

# Where the service has it, where root finds it, and where it was before 2.12.
FOLDERS = ("/run/trainyard-lustre/llite", "/sys/kernel/debug/lustre/llite", "/proc/fs/lustre/llite")
# The second is for a process that was put into the file system of the node, whose own number means nothing there.
_MOUNTS = ("/proc/self/mounts", "/proc/1/mounts")
# One folder a mount: the name of the file system and where the kernel keeps it.
_FOLDER = re.compile(r"(?P<file_system>[A-Za-z0-9_.-]{1,64})-[0-9a-f]{8,32}")
_LINE = re.compile(r"(?P<what>\w+)\s+(?P<count>[0-9]+) samples \[(?P<unit>\w+)\](?: [0-9]+ [0-9]+ (?P<sum>[0-9]+))?")
_MOUNT = re.compile(r"\S+:/(?P<file_system>[^/ ]+)\S* (?P<mountpoint>\S+) lustre ")
# Those that ask servers. What the client counts besides answers itself, or is part of one of these.
OPERATIONS = (
    *("read", "write", "open", "close", "fsync", "readdir", "getattr", "setattr"),
    *("create", "mknod", "unlink", "mkdir", "rmdir", "rename"),
)
_BYTES = {"read_bytes": "read", "write_bytes": "write"}
_READ_BYTES, _MOST_MOUNTS = 64 << 10, 64


class LustreCollector:
    """One file for each mount."""

    name = "lustre"
    interval_s = 15.0
    deadline_s = 5.0

    def __init__(self, world: World) -> None:
        """Remember where to read."""
        self._places = world.places

    def collect(self) -> Samples:
        """Read once. Raises NodeError where Lustre is mounted and its counters cannot be read."""
        mountpoints = self._mountpoints()
        totals: dict[str, Counter[str]] = {}
        for file_system, text in self._stats():
            totals.setdefault(file_system, Counter()).update(_counted(text))
        if not totals and not mountpoints:
            raise NothingHere("nothing of the kind lustre is mounted")
        if not totals:
            places = ", ".join(sorted(mountpoints.values()))
            raise NodeError(
                f"Lustre is mounted at {places!a:.80}, and none of {', '.join(FOLDERS)} can be read: "
                "restart trainyard-node-metrics, which gets its folder when it starts"
            )
        samples = Samples("lustre")
        for file_system, total in totals.items():
            _add(samples, total, file_system, mountpoints.get(file_system, ""))
        return samples

    def _mountpoints(self) -> dict[str, str]:
        """Return where each file system is mounted, the first place of each that is not a pod's."""
        for file in _MOUNTS:
            try:
                text = self._places.at(file).read_text("utf-8", "replace")
            except OSError:
                continue
            found = [match.groups() for match in map(_MOUNT.match, text.splitlines()) if match is not None]
            # Pods have theirs below /var/lib/kubelet, under names that come and go with them.
            plain = {name: "" if place.startswith("/var/lib/kubelet/") else place for name, place in reversed(found)}
            return dict(islice(plain.items(), _MOST_MOUNTS))
        return {}

    def _stats(self) -> Iterator[tuple[str, str]]:
        """Yield the name of each file system and what its client counts, from the first folder that is there."""
        for place in FOLDERS:
            try:
                names = sorted(path.name for path in islice(self._places.at(place).iterdir(), _MOST_MOUNTS))
            except OSError:
                continue
            for name in names:
                match = _FOLDER.fullmatch(name)
                text = _text(self._places.at(place) / name / "stats")
                if match is not None and text is not None:
                    yield match["file_system"], text
            return


def _text(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            return stream.read(_READ_BYTES).decode("ascii", "replace")
    except OSError:
        return None


def _counted(text: str) -> Counter[str]:
    """Return bytes, operations, and microseconds of operations, which older clients do not count."""
    counts: Counter[str] = Counter()
    for match in map(_LINE.match, text.splitlines()):
        if match is None:
            continue
        what, number, unit, total = match["what"], int(match["count"]), match["unit"], int(match["sum"] or 0)
        if what in _BYTES and unit == "bytes":
            counts[f"{what} bytes"] += total
            counts[f"{_BYTES[what]} count"] += number
        elif what in OPERATIONS and what not in _BYTES.values():
            counts[f"{what} count"] += number
        if what in OPERATIONS and unit in ("usec", "usecs"):
            counts[f"{what} us"] += total
    return counts


def _add(samples: Samples, total: Counter[str], *labels: str) -> None:
    samples.add("trainyard_lustre_read_bytes_total", total["read_bytes bytes"], *labels)
    samples.add("trainyard_lustre_written_bytes_total", total["write_bytes bytes"], *labels)
    timed = any(name.endswith(" us") for name in total)
    for operation in OPERATIONS:
        samples.add("trainyard_lustre_operations_total", total[f"{operation} count"], *labels, operation)
        if timed:
            samples.add("trainyard_lustre_operation_seconds_total", total[f"{operation} us"] / 1e6, *labels, operation)
