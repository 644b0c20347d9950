"""Whether the memory of the GPUs has had errors that could not be corrected, since the driver was loaded."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.health.gpu_answers import RESET, gpu_name, judge_gpus, readable, refused_calls
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-ecc"
# Since A100 an error is contained where that is possible: it ends what it hit, and "new workloads can be launched",
# unless the GPU asks for more by its recovery action. Xids of what was not contained are for gpu-xid.
SOURCE = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html"
# NVML_GPU_RECOVERY_ACTION_* in _vendor/pynvml.py.
_ACTIONS = {
    1: "a reset of the GPU",
    2: "a reboot of the node",
    3: "an end of all that uses its links",
    4: "a drain and a reset",
    5: "its IMEX domain to recover",
    6: "a reset of the bus",
    7: "a reboot of the system",
}
_LATER = "start the application that it hit again; reboot the node once it is empty, which resets the GPU"


def check(machine: Machine) -> list[Outcome]:
    """Count errors since the driver was loaded. Earlier ones were dealt with, and are only mentioned."""
    return judge_gpus(NAME, machine, _judge)


def _judge(gpus: Gpus) -> list[Outcome]:
    measured = [gpu for gpu in readable(gpus) if gpu.ecc_enabled is not None]
    trouble = [*(outcome for gpu in measured for outcome in _of(gpu)), *refused_calls(NAME, gpus, *_CALLS)]
    if trouble:
        return trouble
    if not measured:
        return [Outcome(NAME, "absent", "the GPUs have no ECC")]
    ever = sum(gpu.ecc_uncorrected_aggregate or 0 for gpu in measured)
    before = f"; {ever} in the life of the GPUs" if ever else ""
    return [Outcome(NAME, "ok", f"no uncorrected error on {len(measured)} GPUs since the driver was loaded{before}")]


_CALLS = ("nvmlDeviceGetEccMode", "nvmlDeviceGetTotalEccErrors")


def _of(gpu: Gpu) -> Iterator[Outcome]:
    if gpu.ecc_uncorrected_volatile:
        ever = "" if gpu.ecc_uncorrected_aggregate is None else f", {gpu.ecc_uncorrected_aggregate} in its life"
        message = f"{gpu.ecc_uncorrected_volatile} uncorrected ECC errors since the driver was loaded{ever}"
        worse = _worse(gpu)
        if worse:
            yield Outcome(NAME, "failed", f"{message}; {worse}", gpu_name(gpu), RESET, SOURCE)
        else:
            yield Outcome(NAME, "warning", f"{message}; jobs may run", gpu_name(gpu), _LATER, SOURCE)
    if gpu.ecc_enabled is False:
        remedy = f"nvidia-smi --id={gpu.index} --ecc-config=1, then reboot the node"
        yield Outcome(NAME, "warning", "ECC is off: errors of its memory go unseen", gpu_name(gpu), remedy)


def _worse(gpu: Gpu) -> str:
    """Return why no job may run after an error, or nothing. A row that waits for its remapping is no such reason."""
    if gpu.remap_failed:
        return "a row could not be remapped"
    if gpu.recovery_action:
        return f"the GPU asks for {_ACTIONS.get(gpu.recovery_action, f'recovery action {gpu.recovery_action}')}"
    if gpu.recovery_action is None and gpu.remap_failed is None:
        return "this kind of GPU contains no errors"
    return ""
