"""What NCCL's inspector plugin has written of the collectives of jobs on this node, in its mode for Prometheus.

Each process writes a file for each of its GPUs, again and again, into a folder that jobs may write to: whatever lies
there is read within bounds, and taken for no more than what a job says of itself.
https://github.com/NVIDIA/nccl/blob/master/plugins/profiler/inspector/README.md
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator

from trainyard_node.collectors.efa_device import names_in
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.samples import Samples

FOLDER = "/var/lib/trainyard/nccl-inspector"
# Written anew every 30 seconds or less often; what is older is of a job that has ended.
_OLDEST_S = 180.0
_MOST_FOLDERS, _MOST_FILES, _MOST_BYTES, _MOST_SERIES = 64, 64, 262_144, 1000
_FILE = re.compile(r"nccl_inspector_metrics_[\w-]{1,64}\.prom")
_LINE = re.compile(rb"(nccl_[a-z0-9_]{1,60})\{([^\n]{1,1000})\} ([0-9.e+-]{1,24})")
_LABEL = re.compile(rb'([a-z0-9_]{1,20})="([^"\\\n]{0,120})"')
# Each with the metric that it becomes, and what its unit is of ours.
_METRICS = {
    "nccl_bus_bandwidth_gbs": ("trainyard_nccl_busbw_bytes_per_second", 1e9),
    "nccl_p2p_bus_bandwidth_gbs": ("trainyard_nccl_busbw_bytes_per_second", 1e9),
    "nccl_collective_exec_time_microseconds": ("trainyard_nccl_operation_seconds", 1e-6),
    "nccl_p2p_exec_time_microseconds": ("trainyard_nccl_operation_seconds", 1e-6),
}


class NcclInspectorCollector:
    """Reads the files of jobs that run now."""

    name = "nccl-inspector"
    interval_s = 30.0
    deadline_s = 5.0

    def __init__(self, world: World, folder: str = FOLDER) -> None:
        """Remember where to read."""
        self._clock, self._folder = world.clock, str(world.places.at(folder))

    def collect(self) -> Samples:
        """Read once. What cannot be read is counted. Raises NodeError where the folder is not there."""
        samples, left_out, series = Samples("nccl_inspector"), 0, 0
        for path in _files(self._folder):
            content = _fresh_content(path, self._clock.now().timestamp())
            if content is None:
                left_out += 1
                continue
            for name, value, labels in _readings(content):
                if series >= _MOST_SERIES:
                    left_out += 1
                    break
                samples.add(name, value, *labels)
                series += 1
        samples.add("trainyard_nccl_inspector_left_out", left_out)
        return samples


def _files(folder: str) -> Iterator[str]:
    """Yield files of the plugin in the folders of users, in the order of their names."""
    count = 0
    try:
        users = names_in(folder)[:_MOST_FOLDERS]
    except OSError as error:
        raise NodeError(f"{folder} cannot be listed ({error.strerror}): run step 66-node-metrics again") from error
    for user in users:
        try:
            names = names_in(f"{folder}/{user}")
        except OSError:
            continue
        for name in names:
            if _FILE.fullmatch(name) and count < _MOST_FILES:
                count += 1
                yield f"{folder}/{user}/{name}"


def _fresh_content(path: str, now_s: float) -> bytes | None:
    """Return a file's content, None where it is old, too large, or no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or now_s - found.st_mtime > _OLDEST_S or found.st_size > _MOST_BYTES:
            return None
        return os.read(descriptor, _MOST_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _readings(content: bytes) -> Iterator[tuple[str, float, tuple[str, ...]]]:
    """Yield name, value and labels of each line that is as the plugin writes it."""
    for line in content.split(b"\n"):
        match = _LINE.fullmatch(line)
        if match is None or str(match[1], "ascii", "replace") not in _METRICS:
            continue
        labels = {str(name, "utf-8"): str(value, "utf-8", "replace") for name, value in _LABEL.findall(match[2])}
        name, unit = _METRICS[str(match[1], "ascii")]
        try:
            value = float(match[3]) * unit
        except ValueError:
            continue
        operation = labels.get("collective") or labels.get("p2p_operation") or "unknown"
        job, gpu = labels.get("slurm_job_id", ""), labels.get("gpu", "")
        yield name, value, (
            job if job.isdecimal() else "unknown", gpu.removeprefix("GPU"), operation,
            labels.get("nranks", ""), labels.get("message_size", ""), labels.get("comm_name", ""),
        )  # fmt: skip
