"""How long the CPUs of a node were idle, all together: node_exporter has it of each, which are 192 series of a p5.

https://man7.org/linux/man-pages/man5/proc_stat.5.html
"""

from __future__ import annotations

import os
import re

from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.samples import Samples

STAT = "/proc/stat"
# user, nice, system and then idle, of all CPUs and below of each.
_ALL = re.compile(r"^cpu +[0-9]+ [0-9]+ [0-9]+ ([0-9]+)", re.MULTILINE)
_EACH = re.compile(r"^cpu[0-9]+ ", re.MULTILINE)


class CpuCollector:
    """Reads one file."""

    name = "cpu"
    interval_s = 15.0
    deadline_s = 5.0

    def __init__(self, world: World) -> None:
        """Begin at zero."""
        self._file = world.places.at(STAT)
        self._ticks_per_s = os.sysconf("SC_CLK_TCK")
        self._last: int | None = None
        self._ticks = 0

    def collect(self) -> Samples:
        """Read once. Raises NodeError where the file is not as the kernel writes it."""
        try:
            text = self._file.read_text("ascii", "replace")
        except OSError as error:
            raise NodeError(f"{STAT} cannot be read: {error.strerror}") from error
        found, cpus = _ALL.search(text), len(_EACH.findall(text))
        if found is None or not cpus:
            raise NodeError(f"{STAT} does not say how long the CPUs were idle")
        idle = int(found[1])
        # It goes back a little where the kernel corrects itself, and Prometheus would take a counter that falls for one
        # that began anew: https://github.com/prometheus/node_exporter/blob/master/collector/cpu_linux.go
        self._ticks += max(0, idle - (idle if self._last is None else self._last))
        self._last = idle
        samples = Samples("cpu")
        samples.add("trainyard_cpus", cpus)
        samples.add("trainyard_cpu_idle_seconds_total", self._ticks / self._ticks_per_s)
        return samples
