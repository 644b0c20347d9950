"""Whether all NVLinks of the GPUs are up, and without errors."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.health.gpu_answers import RESET, gpu_name, judge_gpus, readable, refused_calls
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-nvlink"
# No link may be down on A100, H100 and Blackwell; a link that is down sends its GPU to a reset, then to service.
SOURCE = "https://docs.nvidia.com/health-validation/reference/checks/nvlink"
# AWS's own suite warns of any counter that is not zero.
ERRORS_SOURCE = "https://github.com/awslabs/awsome-distributed-ai/tree/main/4.validation_and_observability/2.gpu-cluster-healthcheck"


def check(machine: Machine) -> list[Outcome]:
    """Expect every link to be up where the type has NVSwitches; elsewhere links may lead nowhere."""
    switched = machine.expected.fabric != "none"
    return judge_gpus(NAME, machine, lambda gpus: _switched(gpus) if switched else _unswitched(gpus))


def _unswitched(gpus: Gpus) -> list[Outcome]:
    links = [link for gpu in readable(gpus) for link in gpu.nvlinks or ()]
    if not any(link.active for link in links):
        return [Outcome(NAME, "absent", "the GPUs are not connected by NVLink")]
    trouble = [outcome for gpu in readable(gpus) for outcome in _errors(gpu)]
    up = sum(link.active for link in links)
    return trouble or [
        Outcome(NAME, "ok", f"{up} of {len(links)} NVLinks are up; without NVSwitches not all have to be")
    ]


def _switched(gpus: Gpus) -> list[Outcome]:
    most = max((len(gpu.nvlinks or ()) for gpu in readable(gpus)), default=0)
    trouble = [outcome for gpu in readable(gpus) for outcome in (*_missing(gpu, most), *_down(gpu), *_errors(gpu))]
    trouble += refused_calls(NAME, gpus, "nvmlDeviceGetNvLinkState")
    if not trouble and not most:
        message = "NVML shows no NVLink, though the GPUs of this instance type are connected by them"
        return [Outcome(NAME, "unknown", message, "", "see 'nvidia-smi nvlink --status'")]
    return trouble or [Outcome(NAME, "ok", f"{most} NVLinks up on each of {len(readable(gpus))} GPUs, without errors")]


def _missing(gpu: Gpu, most: int) -> Iterator[Outcome]:
    here = len(gpu.nvlinks or ())
    if here < most:
        yield Outcome(NAME, "failed", f"{here} NVLinks, and other GPUs have {most}", gpu_name(gpu), RESET, SOURCE)


def _down(gpu: Gpu) -> Iterator[Outcome]:
    links = gpu.nvlinks or ()
    down = [str(link.link) for link in links if not link.active]
    if down:
        message = f"{len(down)} of {len(links)} NVLinks are down: {', '.join(down)}"
        yield Outcome(NAME, "failed", message, gpu_name(gpu), RESET, SOURCE)


def _errors(gpu: Gpu) -> Iterator[Outcome]:
    counts = {
        "CRC errors": [(link.link, link.crc_errors) for link in gpu.nvlinks or ()],
        "replays": [(link.link, link.replay_errors) for link in gpu.nvlinks or ()],
        "recoveries": [(link.link, link.recovery_errors) for link in gpu.nvlinks or ()],
    }
    reasons = [
        f"{sum(count or 0 for _, count in of)} {what} (links {', '.join(str(link) for link, count in of if count)})"
        for what, of in counts.items()
        if any(count for _, count in of)
    ]
    if reasons:
        remedy = "watch whether they grow while jobs run; if so, run DCGM's diagnostics, level 2, on the empty node"
        yield Outcome(NAME, "warning", f"NVLink errors: {'; '.join(reasons)}", gpu_name(gpu), remedy, ERRORS_SOURCE)
