"""Whether every GPU that the instance type has is there and can be used."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard_node.errors import NodeError
from trainyard_node.health.gpu_answers import RESET, absent, gpu_name, has_gpus, unreadable
from trainyard_node.health.machine import Machine
from trainyard_node.health.nvml import Gpu, Gpus
from trainyard_node.health.outcome import Outcome

NAME = "gpu-count"
# A GPU that is lost is what the kernel log calls Xid 79.
SOURCE = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html"


def check(machine: Machine) -> list[Outcome]:
    """Compare with what the catalog knows of the type; of an unknown type, with one GPU."""
    if not has_gpus(machine):
        return [absent(NAME)]
    try:
        gpus = machine.gpus()
    except NodeError as error:
        return [unreadable(NAME, error)]
    outcomes = [*_faults(gpus), *_number(gpus, machine.expected.gpus), *_divided(gpus)]
    return outcomes or [Outcome(NAME, "ok", f"{len(gpus.gpus)} × {gpus.gpus[0].name or 'GPU'}")]


def _faults(gpus: Gpus) -> Iterator[Outcome]:
    for gpu in gpus.gpus:
        if gpu.fault:
            yield Outcome(NAME, "failed", f"the GPU {gpu.fault}{_place(gpu)}", gpu_name(gpu), RESET, SOURCE)
        elif gpu.uuid is None and gpu.problems:
            message = f"the GPU cannot be read ({gpu.problems[0]}){_place(gpu)}"
            yield Outcome(NAME, "failed", message, gpu_name(gpu), RESET, SOURCE)


def _number(gpus: Gpus, expected: int | None) -> Iterator[Outcome]:
    count = len(gpus.gpus)
    if count < (expected or 1):
        yield Outcome(NAME, "failed", f"{count} GPUs instead of {expected or 'at least 1'}", "", RESET)
    elif expected and count > expected:
        remedy = "render the cluster again with a catalog that knows this instance type"
        yield Outcome(NAME, "warning", f"{count} GPUs instead of {expected}", "", remedy)


def _divided(gpus: Gpus) -> Iterator[Outcome]:
    for gpu in gpus.gpus:
        if gpu.mig:
            message = "MIG is on: jobs get parts of the GPU instead of all of it"
            yield Outcome(
                NAME, "warning", message, gpu_name(gpu), f"nvidia-smi --id={gpu.index} --multi-instance-gpu=0"
            )


def _place(gpu: Gpu) -> str:
    places_ = [f"PCI {gpu.pci_bus_id}" if gpu.pci_bus_id else "", f"serial {gpu.serial}" if gpu.serial else ""]
    return f" ({', '.join(filter(None, places_))})" if any(places_) else ""
