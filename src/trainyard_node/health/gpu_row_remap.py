"""Whether GPUs could put spare rows of memory in the place of bad ones, and whether that still waits for a reset."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.health.gpu_answers import REPLACE, gpu_name, judge_gpus, readable, refused_calls
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-row-remap"
# A pending remapping "will happen at the next GPU reset", and until then new workloads can be launched. A failure is
# for the RMA policy.
SOURCE = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html"
_CALLS = ("nvmlDeviceGetRemappedRows", "nvmlDeviceGetRetiredPagesPendingStatus")


def check(machine: Machine) -> list[Outcome]:
    """Look at the flags of each GPU. Before Ampere, pages are retired instead of rows remapped."""
    return judge_gpus(NAME, machine, _judge)


def _judge(gpus: Gpus) -> list[Outcome]:
    trouble = [*(outcome for gpu in readable(gpus) for outcome in _of(gpu)), *refused_calls(NAME, gpus, *_CALLS)]
    if trouble:
        return trouble
    measured = [gpu for gpu in readable(gpus) if gpu.remap_failed is not None or gpu.retired_pending is not None]
    if not measured:
        return [Outcome(NAME, "absent", "the GPUs neither remap rows nor retire pages")]
    rows = sum((gpu.remapped_correctable or 0) + (gpu.remapped_uncorrectable or 0) for gpu in measured)
    return [Outcome(NAME, "ok", f"nothing failed or pending on {len(measured)} GPUs, {rows} rows remapped")]


def _of(gpu: Gpu) -> Iterator[Outcome]:
    later = "reboot the node once it is empty"
    if gpu.remap_failed:
        message = f"a bad row of memory could not be remapped; {gpu.remapped_uncorrectable or 0} were, before that"
        yield Outcome(NAME, "failed", message, gpu_name(gpu), REPLACE, SOURCE)
    if gpu.remap_pending:
        message = "a bad row of memory is remapped at the next reset of the GPU; jobs may run until then"
        yield Outcome(NAME, "warning", message, gpu_name(gpu), later, SOURCE)
    if gpu.retired_pending:
        message = "a bad page of memory is retired when the driver is loaded again"
        yield Outcome(
            NAME,
            "warning",
            message,
            gpu_name(gpu),
            later,
            "https://docs.nvidia.com/deploy/dynamic-page-retirement/visibility.html",
        )
