"""What the checks of GPUs share: whether there are GPUs to check, and what is said where they cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from trainyard_node.errors import LATER, NodeError
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

REPLACE = "have the instance replaced"
RESET = f"reboot the node once it is empty, which resets the GPU; if it comes back, {REPLACE}"


def has_gpus(machine: Machine) -> bool:
    """Say whether jobs use NVIDIA GPUs of this node. Where nobody set them up or knows, a loaded driver says so."""
    expected = machine.expected
    if expected.gpus == 0 or expected.setup in {"cpu", "neuron"}:
        return False
    return expected.setup == "gpu" or machine.world.places.at("/sys/module/nvidia").exists()


def judge_gpus(check: str, machine: Machine, judge: Callable[[Gpus], Iterable[Outcome]]) -> list[Outcome]:
    """Return what a check makes of the GPUs. That none can be read is for gpu-driver and gpu-count to judge."""
    if not has_gpus(machine):
        return [absent(check)]
    try:
        gpus = machine.gpus()
    except NodeError as error:
        return [Outcome(check, "unknown", f"the GPUs cannot be read: {error}", "", "see gpu-driver")]
    return list(judge(gpus))


def absent(check: str) -> Outcome:
    """Return what is said of a node without GPUs."""
    return Outcome(check, "absent", "the node has no NVIDIA GPUs")


def unreadable(check: str, error: NodeError) -> Outcome:
    """Return what is said where no GPU can be read: a driver that is only slow may yet answer."""
    return Outcome(
        check, "unknown" if error.status == LATER else "failed", str(error), "", "see 'dmesg' and nvidia-smi"
    )


def gpu_name(gpu: Gpu) -> str:
    """Return what a GPU is called in outcomes."""
    return f"gpu {gpu.index}"


def readable(gpus: Gpus) -> list[Gpu]:
    """Return the GPUs that answer. gpu-count speaks of the others."""
    return [gpu for gpu in gpus.gpus if not gpu.fault]


def refused_calls(check: str, gpus: Gpus, *calls: str) -> list[Outcome]:
    """Return an outcome for each of these calls that a GPU refused, other than as not supported."""
    return [
        Outcome(check, "unknown", f"NVML refused {problem}", gpu_name(gpu), "see 'nvidia-smi -q' and 'dmesg'")
        for gpu in readable(gpus)
        for problem in gpu.problems
        if problem.startswith(calls)
    ]
