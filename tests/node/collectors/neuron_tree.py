"""The files of Neuron's driver and the reports of neuron-monitor, as AWS's guides show them, for a trn1.32xlarge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DEVICES = "sys/devices/virtual/neuron_device"
PROGRAM = "opt/aws/neuron/bin/neuron-monitor"


def show_devices(root: Path, count: int = 16, ecc: dict[str, int] | None = None) -> None:
    """Write what the driver shows. `ecc` are the events of the last device; counters of others are folders."""
    for number in range(count):
        folder = root / DEVICES / f"neuron{number}"
        (folder / "stats/power").mkdir(parents=True)
        (folder / "stats/power/utilization").write_text("POWER_STATUS_VALID,1795805109,0.86,75.00,60.50\n")
        for event in ("mem_ecc_uncorrected", "mem_ecc_repairable_uncorrected", "sram_ecc_uncorrected"):
            file = folder / "stats/hardware" / event
            value = (ecc or {}).get(event, 0) if number == count - 1 else 0
            if number % 2:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"{value}\n")
            else:
                file.mkdir(parents=True)
                (file / "total").write_text(f"{value}\n")
    (root / DEVICES / "power").mkdir()


def report(processes: int = 32, utilization: float = 89.0, completed: int = 50, **errors: int) -> dict[str, Any]:
    """Return a report of five seconds: a process on each core."""
    return {
        "neuron_runtime_data": [_runtime(core, utilization, completed, errors) for core in range(processes)],
        "system_data": {"neuron_hw_counters": {"period": 5.0, "neuron_devices": [], "error": ""}},
        "instance_info": {"instance_type": "trn1.32xlarge", "error": ""},
        "neuron_hardware_info": {
            "neuron_device_type": "trainium",
            "neuron_device_count": 16,
            "neuroncore_per_device_count": 2,
            "logical_neuroncore_config": 1,
            "error": "",
        },
    }


def _runtime(core: int, utilization: float, completed: int, errors: dict[str, int]) -> dict[str, Any]:
    memory = {"constants": 1 << 30, "model_code": 1 << 20, "tensors": 2 << 30}
    latency = {"p0": 0.09, "p50": 0.1 + core / 1000, "p99": 0.12 + core / 1000, "p100": 0.2}
    execution = {"error_summary": errors, "execution_summary": {"completed": completed, "timed_out": 0}}
    return {
        "pid": 4000 + core,
        "neuron_runtime_tag": str(4000 + core),
        "error": "",
        "report": {
            "execution_stats": {
                **execution, "latency_stats": {"total_latency": latency if completed else None}, "error": ""
            },
            "memory_used": {
                "neuron_runtime_used_bytes": {
                    "host": 1 << 28,
                    "neuron_device": sum(memory.values()),
                    "usage_breakdown": {"neuroncore_memory_usage": {str(core): memory}},
                },
                "error": "",
            },
            "neuroncore_counters": {
                "neuroncores_in_use": {str(core): {"neuroncore_utilization": utilization, "flops": 10**12}},
                "error": "",
            },
        },
    }  # fmt: skip
