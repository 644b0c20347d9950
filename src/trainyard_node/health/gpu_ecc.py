"""Whether the memory of the GPUs has had errors that could not be corrected, since the driver was loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard_node.health.gpu_answers import RESET, judged, named, readable, refused
from trainyard_node.health.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard_node.health.machine import Machine
    from trainyard_node.health.nvml import Gpu, Gpus

NAME = "gpu-ecc"
# "A GPU reset or node reboot is needed to clear this error", of Xid 48.
SOURCE = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html"


def check(machine: Machine) -> list[Outcome]:
    """Count errors since the driver was loaded. Earlier ones were dealt with, and are only mentioned."""
    return judged(NAME, machine, _judge)


def _judge(gpus: Gpus) -> list[Outcome]:
    known = [gpu for gpu in readable(gpus) if gpu.ecc_enabled is not None]
    trouble = [*(found for gpu in known for found in _of(gpu)), *refused(NAME, gpus, *_CALLS)]
    if trouble:
        return trouble
    if not known:
        return [Outcome(NAME, "absent", "the GPUs have no ECC")]
    ever = sum(gpu.ecc_uncorrected_aggregate or 0 for gpu in known)
    before = f"; {ever} in the life of the GPUs" if ever else ""
    return [Outcome(NAME, "ok", f"no uncorrected error on {len(known)} GPUs since the driver was loaded{before}")]


_CALLS = ("nvmlDeviceGetEccMode", "nvmlDeviceGetTotalEccErrors")


def _of(gpu: Gpu) -> Iterator[Outcome]:
    if gpu.ecc_uncorrected_volatile:
        ever = "" if gpu.ecc_uncorrected_aggregate is None else f", {gpu.ecc_uncorrected_aggregate} in its life"
        message = f"{gpu.ecc_uncorrected_volatile} uncorrected ECC errors since the driver was loaded{ever}"
        yield Outcome(NAME, "failed", message, named(gpu), RESET, SOURCE)
    if gpu.ecc_enabled is False:
        remedy = f"nvidia-smi --id={gpu.index} --ecc-config=1, then reboot the node"
        yield Outcome(NAME, "warning", "ECC is off: errors of its memory go unseen", named(gpu), remedy)
