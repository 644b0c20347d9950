"""What the Neuron devices of this node do: the driver's own counters, and what neuron-monitor reports of applications.

Names are those of AWS's neuron-monitor-prometheus.py where it has one. That labels all with the number of a process, so
that every start of a job makes new series; here a node has one series, the sum or the worst of its processes.
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-monitor-user-guide.html
https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-sysfs-user-guide.html
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.neuron_monitor import NeuronMonitor
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.output import err
from trainyard_node.samples import Samples

DEVICES = "/sys/devices/virtual/neuron_device"
ECC_EVENTS = ("mem_ecc_uncorrected", "mem_ecc_repairable_uncorrected", "sram_ecc_uncorrected")
# As the guide lists them; whatever else a version reports is not exported.
STATUSES = (
    "completed",
    "completed_with_err",
    "completed_with_num_err",
    "timed_out",
    "incorrect_input",
    "failed_to_queue",
)
ERRORS = ("generic", "numerical", "transient", "model", "runtime", "hardware")
PERCENTILES = ("p50", "p99", "p100")
# The largest instances have 64 devices with 8 cores each.
_MOST_DEVICES, _MOST_CORES, _READ_BYTES = 64, 512, 256
_DEVICE = re.compile(r"neuron([0-9]{1,3})")
_POWER = re.compile(r"POWER_STATUS_VALID,[0-9]+,[0-9.]+,[0-9.]+,(?P<mean>[0-9]{1,3}(?:\.[0-9]+)?)")


class Reports(Protocol):
    """What gives the reports of neuron-monitor."""

    def take(self) -> list[Mapping[str, Any]]:
        """Return those since the last call. Raises NodeError where the program cannot be had or has ended."""
        ...


class NeuronCollector:
    """The driver's files, and the reports of a program that runs beside."""

    name = "neuron"
    interval_s = 15.0
    deadline_s = 10.0

    def __init__(self, world: World, reports: Reports | None = None) -> None:
        """Start nothing yet."""
        self._places = world.places
        self._reports = reports or NeuronMonitor(world.places)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._last: list[Mapping[str, Any]] = []
        self._complained = ""

    def collect(self) -> Samples:
        """Read once. Without neuron-monitor, what the driver counts is exported all the same."""
        devices = self._devices()
        if not devices:
            raise NothingHere(f"the driver shows no device in {DEVICES}")
        samples = Samples("neuron")
        samples.add("trainyard_neuron_devices", len(devices))
        for number, path in devices.items():
            _add_device(samples, path, number)
        samples.add("trainyard_neuron_reporting", int(self._take_reports()))
        if self._last:
            self._add_applications(samples)
        return samples

    def _devices(self) -> dict[str, Path]:
        try:
            paths = list(islice(self._places.at(DEVICES).iterdir(), _MOST_DEVICES))
        except OSError:
            return {}
        matches = {
            path: _DEVICE.fullmatch(path.name) for path in sorted(paths, key=lambda path: (len(path.name), path))
        }
        return {match[1]: path for path, match in matches.items() if match is not None}

    def _take_reports(self) -> bool:
        """Take what has been reported, and return whether there is anything new. What fails is said once."""
        try:
            reports = self._reports.take()
        except NodeError as error:
            if str(error) != self._complained:
                err(f"collector {self.name}: {error}")
                self._complained = str(error)
            reports = []
        self._last = reports
        for report in reports:
            for runtime in _runtimes(report):
                stats = _group(runtime, "execution_stats")
                for kind, summary in (("status", "execution_summary"), ("error", "error_summary")):
                    for name, count in _numbers(stats.get(summary)).items():
                        self._counts[kind, name] += int(count)
        return bool(reports)

    def _add_applications(self, samples: Samples) -> None:
        newest = self._last[-1]
        runtimes = _runtimes(newest)
        samples.add("trainyard_neuron_applications", len(runtimes))
        for status in STATUSES:
            samples.add("execution_status_total", self._counts["status", status], status)
        for error in ERRORS:
            samples.add("execution_errors_total", self._counts["error", error], error)
        _add_cores(samples, self._last)
        memory: Counter[str] = Counter()
        latencies: dict[str, float] = {}
        for runtime in runtimes:
            memory.update(_numbers(_group(runtime, "memory_used").get("neuron_runtime_used_bytes")))
            stats = _mapping(_group(runtime, "execution_stats").get("latency_stats"))
            for percentile, seconds in _numbers(stats.get("total_latency")).items():
                latencies[percentile] = max(seconds, latencies.get(percentile, 0.0))
        for location in ("host", "neuron_device"):
            samples.add("neuron_runtime_memory_used_bytes", memory[location], location)
        for percentile in PERCENTILES:
            if percentile in latencies:
                samples.add("execution_latency_seconds", latencies[percentile], percentile)


def _add_device(samples: Samples, path: Path, number: str) -> None:
    """Add what the driver counts of a device since it was loaded. Older drivers have less."""
    for event in ECC_EVENTS:
        file = path / "stats/hardware" / event
        text = _text(file / "total" if file.is_dir() else file)
        if text.isdigit():
            samples.add("hardware_ecc_events_total", int(text), number, event)
    if (match := _POWER.match(_text(path / "stats/power/utilization"))) is not None:
        samples.add("trainyard_neuron_power_ratio", float(match["mean"]) / 100, number)


def _add_cores(samples: Samples, reports: list[Mapping[str, Any]]) -> None:
    """Add utilization, the mean of the reports, and memory of each core. One that no application has is at 0."""
    used: dict[int, float] = {}
    flops = 0.0
    for report in reports:
        for core, data in _cores(report, "neuroncore_counters", "neuroncores_in_use"):
            ratio = _number(data.get("neuroncore_utilization")) / 100 / len(reports)
            used[core] = used.get(core, 0.0) + ratio
            flops += _number(data.get("flops")) / len(reports)
    memory: dict[int, float] = {}
    for core, data in _cores(reports[-1], "memory_used", "neuron_runtime_used_bytes", "usage_breakdown", _BY_CORE):
        memory[core] = memory.get(core, 0.0) + sum(_numbers(data).values())
    for core in range(max(_core_count(reports[-1]), max((*used, *memory), default=-1) + 1)):
        samples.add("neuroncore_utilization_ratio", round(used.get(core, 0.0), 6), str(core))
        samples.add("trainyard_neuroncore_memory_used_bytes", memory.get(core, 0.0), str(core))
    samples.add("trainyard_neuron_flops", round(flops))


_BY_CORE = "neuroncore_memory_usage"


def _core_count(report: Mapping[str, Any]) -> int:
    """Return how many cores applications see: on Trainium2, two of a device make one unless somebody says otherwise."""
    facts = _numbers(report.get("neuron_hardware_info"))
    count = facts.get("neuron_device_count", 0) * facts.get("neuroncore_per_device_count", 0)
    return min(int(count // max(facts.get("logical_neuroncore_config", 1), 1)), _MOST_CORES)


def _cores(report: Mapping[str, Any], group: str, *path: str) -> list[tuple[int, Mapping[str, Any]]]:
    found: list[tuple[int, Mapping[str, Any]]] = []
    for runtime in _runtimes(report):
        data = _group(runtime, group)
        for key in path:
            data = _mapping(data.get(key))
        found += [(int(core), _mapping(value)) for core, value in data.items() if re.fullmatch("[0-9]{1,3}", core)]
    return [(core, data) for core, data in found if core < _MOST_CORES]


def _runtimes(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the applications that could be asked, a process each."""
    runtimes = report.get("neuron_runtime_data")
    listed = runtimes[:_MOST_CORES] if isinstance(runtimes, list) else []
    return [_mapping(runtime) for runtime in listed if not _mapping(runtime).get("error")]


def _group(runtime: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    group = _mapping(_mapping(runtime.get("report")).get(name))
    return {} if group.get("error") else group


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _numbers(value: object) -> dict[str, float]:
    return {key: _number(number) for key, number in _mapping(value).items() if _is_number(number)}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and _is_number(value) else 0.0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e18  # NaN is neither


def _text(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return stream.read(_READ_BYTES).decode("ascii", "replace").strip()
    except OSError:
        return ""
