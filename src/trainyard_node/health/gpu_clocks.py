"""Whether hardware holds the clocks of the GPUs down, which makes a whole job as slow as its slowest GPU."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.health.gpu_answers import REPLACE, gpu_name, judge_gpus, readable, refused_calls
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-clocks"
# The bits of nvmlClocksEventReasons, and what NVIDIA says of each.
SOURCE = "https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"
# "Reducing the core clocks by a factor of 2 or more".
SLOWED = {0x40: "hardware thermal slowdown", 0x80: "power brake, from outside of the GPU"}
# Too hot for software, and a slowdown without its cause, "also reported during PState or clock change".
WATCHED = {0x08: "hardware slowdown", 0x20: "software thermal slowdown"}
# What is as it should be: an idle GPU, clocks that somebody set, and a GPU that works as hard as its power allows.
# Bits that are not named here mean no slowdown that anybody could act on.
HARMLESS = {
    0x01: "idle",
    0x02: "application clocks",
    0x04: "software power cap",
    0x10: "sync boost",
    0x100: "display clocks",
}


def check(machine: Machine) -> list[Outcome]:
    """Look at why the clocks of each GPU are what they are at this moment."""
    return judge_gpus(NAME, machine, _judge)


def _judge(gpus: Gpus) -> list[Outcome]:
    measured = [gpu for gpu in readable(gpus) if gpu.clock_event_reasons is not None]
    trouble = [outcome for gpu in measured for outcome in _of(gpu, gpu.clock_event_reasons or 0)]
    trouble += refused_calls(NAME, gpus, "nvmlDeviceGetCurrentClocks")
    if not trouble and not measured:
        return [Outcome(NAME, "absent", "the GPUs do not say what limits their clocks")]
    reasons = 0
    for gpu in measured:
        reasons |= gpu.clock_event_reasons or 0
    why = ", ".join(_names(reasons, HARMLESS)) or "nothing"
    return trouble or [Outcome(NAME, "ok", f"nothing slows {len(measured)} GPUs down (what limits clocks: {why})")]


def _of(gpu: Gpu, reasons: int) -> Iterator[Outcome]:
    heat = "" if gpu.temperature_c is None else f" at {gpu.temperature_c} °C"
    slowed, watched = _names(reasons, SLOWED), _names(reasons, WATCHED)
    if slowed:
        # It may last a moment only, and a job that is slow is better than a node that comes and goes.
        remedy = f"look again in some minutes; if it stays, {REPLACE}"
        message = f"clocks are halved or worse: {', '.join(slowed)}{heat}"
        yield Outcome(NAME, "warning", message, gpu_name(gpu), remedy, SOURCE)
    elif watched:
        remedy = f"look again in some minutes; if it stays, compare its speed with that of other nodes, or {REPLACE}"
        yield Outcome(
            NAME, "warning", f"clocks are held down: {', '.join(watched)}{heat}", gpu_name(gpu), remedy, SOURCE
        )


def _names(reasons: int, table: dict[int, str]) -> list[str]:
    return [name for bit, name in table.items() if reasons & bit]
