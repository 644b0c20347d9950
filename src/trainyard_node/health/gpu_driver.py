"""Whether the kernel module, the library and the fabric manager of NVIDIA are of one version.

They part when something updates packages below a running module: unattended upgrades, most often.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trainyard_node.errors import NodeError
from trainyard_node.health.gpu_answers import absent, has_gpus, unreadable
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome
from trainyard_node.places import Places

NAME = "gpu-driver"
PROGRAM_S = 5.0
# A library that was updated below the running module.
LIBRARY_SOURCE = "https://github.com/lyulyul/shine-cluster/issues/30"
# "don't match with driver version": the fabric manager does not start.
FABRIC_SOURCE = "https://github.com/NVIDIA/gpu-operator/issues/544"
_REBOOT = "reboot the node, and keep the NVIDIA packages from updates, as the step 10-packages does"
_FILES = (
    ("/sys/module/nvidia/version", r"([0-9.]+)"),
    ("/proc/driver/nvidia/version", r"Kernel Module.*?\s([0-9]+(?:\.[0-9]+)+)\s"),
)
_LIBRARIES = ("usr/lib/*-linux-gnu/libnvidia-ml.so.*", "usr/lib64/libnvidia-ml.so.*")


class _Versions(NamedTuple):
    module: str
    library: str | None
    fabric_manager: str | None


def check(machine: Machine) -> list[Outcome]:
    """Compare the three with each other."""
    if not has_gpus(machine):
        return [absent(NAME)]
    places = machine.world.places
    module = _module(places)
    if module is None:
        remedy = "see 'dmesg' and 'modprobe nvidia'; choose an image with a driver for this kernel and these GPUs"
        return [Outcome(NAME, "failed", "the kernel module nvidia is not loaded", "", remedy)]
    try:
        answered = machine.gpus()
    except NodeError as error:
        return _unlike(_Versions(module, _installed(places), None)) or [unreadable(NAME, error)]
    # Before the library's own version stands that of CUDA: 13.580.105.08.
    library = (answered.nvml_version or "").partition(".")[2] or None
    return _judge(_Versions(module, library, _fabric_manager(machine)))


def _judge(versions: _Versions) -> list[Outcome]:
    of = ["kernel module", "library" if versions.library else "", "fabric manager" if versions.fabric_manager else ""]
    alike = Outcome(NAME, "ok", f"{', '.join(filter(None, of))}: {versions.module}")
    return _unlike(versions) or [alike]


def _unlike(versions: _Versions) -> list[Outcome]:
    outcomes = []
    module = f"the kernel module is version {versions.module}"
    if versions.library not in {None, versions.module}:
        message = f"{module}, and the library {versions.library}"
        outcomes.append(Outcome(NAME, "failed", message, "", _REBOOT, LIBRARY_SOURCE))
    if versions.fabric_manager not in {None, versions.module}:
        message = f"{module}, and the fabric manager {versions.fabric_manager}"
        remedy = "choose an image where they are the same"
        outcomes.append(Outcome(NAME, "failed", message, "", remedy, FABRIC_SOURCE))
    return outcomes


def _module(places: Places) -> str | None:
    for file, match in _FILES:
        try:
            text = places.at(file).read_text(encoding="utf-8", errors="replace")[:10_000]
        except OSError:
            continue
        found = re.search(match, text)
        if found:
            return found[1]
    return None


def _installed(places: Places) -> str | None:
    """Return the version of the library that is installed, by the names of its files, where there is just one."""
    files = [file.name for pattern in _LIBRARIES for file in places.at("/").glob(pattern)]
    versions_found = {name.partition(".so.")[2] for name in files} - {"1"}
    return versions_found.pop() if len(versions_found) == 1 else None


def _fabric_manager(machine: Machine) -> str | None:
    if machine.expected.fabric == "none":
        return None
    ran = machine.world.processes.run(["nv-fabricmanager", "--version"], PROGRAM_S)
    match = re.search(r"version is : ([0-9.]+)", ran.output) if ran.status == 0 else None
    return match[1] if match else None
