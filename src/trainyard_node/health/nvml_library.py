"""Asks NVIDIA's management library all that the checks need. Only ever run in a process that may be ended: nvml.py."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from ctypes import byref
from importlib import import_module
from typing import Any

from trainyard_node.health.nvml import Gpu, Gpus, NvLink

# The numbers of nvmlReturn_t, NVML_ERROR_* in _vendor/pynvml.py:
# not supported, no such function in an older library, a structure that it does not know, and no longer supported.
_UNSUPPORTED = (3, 13, 25, 26)
_FAULTS = {15: "is lost: it has fallen off the bus or does not answer", 16: "requires a reset", 28: "is gone"}
# nvidia-ml-py, which is called pynvml, comes along, so that nodes install nothing.
_VENDORED = os.path.join(os.path.dirname(os.path.dirname(__file__)), "_vendor")  # noqa: PTH118, PTH120 - it may lie inside an archive
_FABRIC_STATES = {1: "not started", 2: "in progress", 3: "completed"}


def nvml_json() -> str:
    """Return what the library says as one line of JSON, or with which error it does not start."""
    make_importable()
    nvml: Any = import_module("pynvml")
    try:
        nvml.nvmlInit()
        gpus = tuple(_GpuQuery(nvml, index).gpu() for index in range(nvml.nvmlDeviceGetCount()))
        node = _GpuQuery(nvml, -1)
        driver, library, cuda = (node.ask(f"nvmlSystemGet{of}Version") for of in ("Driver", "NVML", "CudaDriver"))
    except nvml.NVMLError as error:
        return json.dumps({"error": error.value, "message": str(error)})
    return json.dumps({**Gpus(driver, library, cuda, ())._asdict(), "gpus": [gpu._asdict() for gpu in gpus]})


def make_importable() -> None:
    """Let imports find pynvml: that which comes along rather than another that the node may have."""
    if _VENDORED not in sys.path:
        sys.path.insert(0, _VENDORED)


class _GpuQuery:
    """A GPU that is asked one thing after another. What it refuses is kept; once it is lost, it is left alone."""

    def __init__(self, nvml: Any, index: int) -> None:
        self._nvml, self._index = nvml, index
        self._problems: list[str] = []
        self._fault = ""

    def gpu(self) -> Gpu:
        """Return all about the GPU."""
        handle = self.ask("nvmlDeviceGetHandleByIndex", self._index)
        values = {} if handle is None else {**self._identity(handle), **self._memory(handle), **self._state(handle)}
        return Gpu(self._index, **values, problems=tuple(self._problems), fault=self._fault)

    def ask(self, call: str, *words: Any) -> Any:
        """Return what a call says, or None."""
        return self._try(call, lambda: getattr(self._nvml, call)(*words))

    def _try(self, call: str, query: Callable[[], Any]) -> Any:
        if self._fault:
            return None
        try:
            return query()
        except self._nvml.NVMLError as error:
            if error.value not in _UNSUPPORTED:
                self._problems.append(f"{call}: {error}")
            self._fault = _FAULTS.get(error.value, "")
        except UnicodeDecodeError:
            self._problems.append(f"{call}: an answer that is no text")
        return None

    def _identity(self, handle: Any) -> dict[str, Any]:
        call = "nvmlDeviceGetPciInfo"
        return {
            "pci_bus_id": self._try(call, lambda: getattr(self._nvml, call)(handle).busId),
            "uuid": self.ask("nvmlDeviceGetUUID", handle),
            "name": self.ask("nvmlDeviceGetName", handle),
            "serial": self.ask("nvmlDeviceGetSerial", handle),
        }

    def _memory(self, handle: Any) -> dict[str, Any]:
        ecc = self.ask("nvmlDeviceGetEccMode", handle)
        rows = self.ask("nvmlDeviceGetRemappedRows", handle) or (None, None, None, None)
        # 1: errors that were not corrected; 0 and 1: since the driver was loaded, and ever.
        return {
            "ecc_enabled": None if ecc is None else bool(ecc[0]),
            "ecc_uncorrected_volatile": self.ask("nvmlDeviceGetTotalEccErrors", handle, 1, 0),
            "ecc_uncorrected_aggregate": self.ask("nvmlDeviceGetTotalEccErrors", handle, 1, 1),
            "remapped_correctable": rows[0],
            "remapped_uncorrectable": rows[1],
            "remap_pending": _yes(rows[2]),
            "remap_failed": _yes(rows[3]),
            "retired_pending": _yes(self.ask("nvmlDeviceGetRetiredPagesPendingStatus", handle)),
            "recovery_action": self._recovery_action(handle),
        }

    def _recovery_action(self, handle: Any) -> int | None:
        """Return the field that newer drivers have. Each field has an error of its own."""
        (field,) = self.ask("nvmlDeviceGetFieldValues", handle, [self._nvml.NVML_FI_DEV_GET_GPU_RECOVERY_ACTION]) or [
            None
        ]
        return None if field is None or field.nvmlReturn != 0 else int(field.value.uiVal)

    def _state(self, handle: Any) -> dict[str, Any]:
        mig = self.ask("nvmlDeviceGetMigMode", handle)
        power_mw = self.ask("nvmlDeviceGetPowerUsage", handle)
        reasons = self.ask("nvmlDeviceGetCurrentClocksEventReasons", handle)
        if reasons is None:
            # What older drivers call it.
            reasons = self.ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
        return {
            "clock_event_reasons": reasons,
            "temperature_c": self.ask("nvmlDeviceGetTemperature", handle, 0),
            "power_w": None if power_mw is None else power_mw / 1000,
            "persistence": _yes(self.ask("nvmlDeviceGetPersistenceMode", handle)),
            "mig": None if mig is None else bool(mig[0]),
            **self._fabric(handle),
            "nvlinks": self._nvlinks(handle),
        }

    def _fabric(self, handle: Any) -> dict[str, Any]:
        """Return how the GPU stands with its NVSwitches. Older drivers know the plain call only."""
        info = self._structure("nvmlDeviceGetGpuFabricInfoV", handle, "c_nvmlGpuFabricInfo_v2_t")
        if info is None:
            info = self._structure("nvmlDeviceGetGpuFabricInfo", handle, "c_nvmlGpuFabricInfo_t")
        if info is None or info.state == 0:
            return {}
        state = _FABRIC_STATES.get(info.state, f"state {info.state}")
        status = "success" if info.status == 0 else str(self._nvml.NVMLError(info.status))
        return {"fabric_state": state, "fabric_status": status, "fabric_health": getattr(info, "healthMask", None)}

    def _structure(self, call: str, handle: Any, kind: str) -> Any:
        info = getattr(self._nvml, kind)()
        answered = self._try(call, lambda: (getattr(self._nvml, call)(handle, byref(info)), info))
        return None if answered is None else info

    def _nvlinks(self, handle: Any) -> tuple[NvLink, ...] | None:
        links = [self._nvlink(handle, link) for link in range(self._nvml.NVML_NVLINK_MAX_LINKS)]
        return tuple(link for link in links if link is not None) or None

    def _nvlink(self, handle: Any, link: int) -> NvLink | None:
        count_before = len(self._problems)
        state = self.ask("nvmlDeviceGetNvLinkState", handle, link)
        if state is None:
            # Beyond the last link, NVML speaks of an invalid argument.
            self._problems[count_before:] = [
                problem for problem in self._problems[count_before:] if not problem.endswith("Invalid Argument")
            ]
            return None
        # 0 to 2 of nvmlNvLinkErrorCounter_t: replays, recoveries, CRC errors of flits. States: 1 active, 2 asleep.
        # https://docs.nvidia.com/deploy/nvml-api/group__NvLink.html
        replays, recoveries, crc = (self.ask("nvmlDeviceGetNvLinkErrorCounter", handle, link, of) for of in (0, 1, 2))
        return NvLink(link, state in (1, 2), crc, replays, recoveries)


def _yes(number: int | None) -> bool | None:
    return None if number is None else bool(number)
