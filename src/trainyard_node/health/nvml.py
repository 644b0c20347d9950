"""What NVIDIA's management library says about the GPUs of this node, read once by a process that may be ended.

A driver that is ill can hang whoever asks it, so nobody asks it in this process: nvml_library.py does, in a child.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import trainyard_node
from trainyard_node.errors import FAILED, HARDWARE, LATER, NodeError
from trainyard_node.machine import World
from trainyard_node.processes import TIMED_OUT

# Below the ten seconds that all checks have together.
DEADLINE_S = 7.0
_ASK = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from trainyard_node.health.nvml_library import nvml_json; print(nvml_json())"
)
# What the whole library may answer, by the numbers of nvmlReturn_t: NVML_ERROR_* in _vendor/pynvml.py.
_REFUSALS = {
    2: "the NVIDIA library is too old for this program: choose an image with a newer driver",
    4: "NVML refuses this user: run it as root",
    9: "the NVIDIA driver is not loaded: see 'dmesg' for why, and choose an image with a driver for this kernel",
    12: "libnvidia-ml.so.1 is missing: choose an image with the NVIDIA driver",
    17: "the system keeps this process from the GPUs: run it outside of containers and of jobs that limit devices",
    18: "the NVIDIA library and the kernel module are of different versions: reboot the node, and hold both packages",
}


class NvLink(NamedTuple):
    """One of the links of a GPU. An error counter that the GPU does not have is None."""

    link: int
    active: bool
    crc_errors: int | None = None
    replay_errors: int | None = None
    recovery_errors: int | None = None


class Gpu(NamedTuple):
    """A GPU. What it, its driver or the library does not support is None."""

    index: int  # type: ignore[assignment]  # tuple has a method of that name, which nobody calls
    uuid: str | None = None
    pci_bus_id: str | None = None
    name: str | None = None
    serial: str | None = None
    ecc_enabled: bool | None = None
    ecc_uncorrected_volatile: int | None = None
    """Since the driver was loaded or the GPU reset."""
    ecc_uncorrected_aggregate: int | None = None
    """In the life of the GPU."""
    remapped_correctable: int | None = None
    remapped_uncorrectable: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    retired_pending: bool | None = None
    recovery_action: int | None = None
    """What the GPU asks for after an error: 0 is nothing."""
    nvlinks: tuple[NvLink, ...] | None = None
    clock_event_reasons: int | None = None
    temperature_c: int | None = None
    power_w: float | None = None
    persistence: bool | None = None
    mig: bool | None = None
    fabric_state: str | None = None
    """not started, in progress or completed."""
    fabric_status: str | None = None
    """How the registration with the fabric ended, once it is completed: success, or an error."""
    fabric_health: int | None = None
    """The health mask of the fabric, in pairs of bits: NVML_GPU_FABRIC_HEALTH_MASK_*."""
    problems: tuple[str, ...] = ()
    """What NVML refused, as call: error."""
    fault: str = ""
    """Why the GPU cannot be used at all: it is lost, or requires a reset."""


class Gpus(NamedTuple):
    """All that the library sees."""

    driver_version: str | None
    nvml_version: str | None
    """The version of CUDA's interface, a dot, and the version of the library."""
    cuda_driver_version: int | None
    gpus: tuple[Gpu, ...]


def read_gpus(world: World, deadline_s: float = DEADLINE_S) -> Gpus:
    """Ask the library. Raises NodeError where it does not answer, with status 75 where it only was too slow."""
    ran = world.processes.run([sys.executable, "-I", "-c", _ASK, _package_place()], deadline_s)
    if ran.status == TIMED_OUT:
        raise NodeError(
            f"the NVIDIA driver did not answer in {deadline_s:g} s: see 'dmesg', and reboot the node if it stays so; "
            "without persistence mode the first answer after a pause takes long",
            LATER,
        )
    answer = _answer(ran.output)
    if ran.status != 0 or answer is None:
        last = ran.output.strip().splitlines()[-1:] or ["it said nothing"]
        raise NodeError(f"asking the NVIDIA library ended with status {ran.status}: {last[0]:.200}", FAILED)
    if "error" in answer:
        raise NodeError(_REFUSALS.get(answer["error"], f"NVML does not start: {answer['message']:.200}"), HARDWARE)
    return _gpus(answer)


def _package_place() -> str:
    """Return the folder that the running package lies in, or the archive."""
    return os.path.dirname(os.path.dirname(os.path.abspath(trainyard_node.__file__)))  # noqa: PTH100, PTH120 - it may be an archive


def _answer(output: str) -> dict[str, Any] | None:
    """Return the line that is JSON: libraries write what they like before it."""
    for line in reversed(output.splitlines()):
        if line.startswith("{"):
            try:
                answer: dict[str, Any] = json.loads(line)
            except ValueError:
                return None
            return answer
    return None


def _gpus(answer: Mapping[str, Any]) -> Gpus:
    gpus = tuple(_gpu(values) for values in answer["gpus"])
    return Gpus(answer["driver_version"], answer["nvml_version"], answer["cuda_driver_version"], gpus)


def _gpu(values: Mapping[str, Any]) -> Gpu:
    links = values.get("nvlinks")
    nvlinks = None if links is None else tuple(NvLink(*link) for link in links)
    return Gpu(**{**values, "nvlinks": nvlinks, "problems": tuple(values.get("problems", ()))})
