"""GPUs for checks to look at: eight sound H100, of which tests change what they are about."""

from __future__ import annotations

from typing import Any

from tests.node.health.node import Node
from trainyard_node.errors import HARDWARE, NodeError
from trainyard_node.health.machine import ExpectedHardware, Machine
from trainyard_node.health.nvml import Gpu, Gpus, NvLink

NVLINKS = tuple(NvLink(link, active=True, crc_errors=0, replay_errors=0, recovery_errors=0) for link in range(18))


def gpu(index: int, **changed: Any) -> Gpu:
    """Return a sound H100, with changes."""
    sound = Gpu(
        index,
        uuid=f"GPU-{index}",
        pci_bus_id=f"00000000:{0x53 + index:02X}:00.0",
        name="NVIDIA H100 80GB HBM3",
        serial=f"165052300000{index}",
        ecc_enabled=True,
        ecc_uncorrected_volatile=0,
        ecc_uncorrected_aggregate=0,
        remapped_correctable=0,
        remapped_uncorrectable=0,
        remap_pending=False,
        remap_failed=False,
        nvlinks=NVLINKS,
        clock_event_reasons=1,
        temperature_c=34,
        power_w=71.5,
        persistence=True,
        mig=False,
        fabric_state="completed",
        fabric_status="success",
        fabric_health=0,
    )
    return sound._replace(**changed)


def lost(index: int) -> Gpu:
    """Return a GPU that answers nothing."""
    return Gpu(index, problems=("nvmlDeviceGetHandleByIndex: GPU is lost",), fault="is lost")


def eight(*others: Gpu) -> Gpus:
    """Return eight GPUs, some of which are others."""
    by_index = {index: gpu(index) for index in range(8)} | {other.index: other for other in others}
    return Gpus("580.105.08", "13.580.105.08", 13000, tuple(by_index.values()))


def p5(node: Node, seen: Gpus | None = None, **changed: Any) -> Machine:
    """Return a p5.48xlarge, with changes in what it should have."""
    sound: dict[str, Any] = {"gpus": 8, "fabric": "fabric-manager", "setup": "gpu", "instance_type": "p5.48xlarge"}
    return Machine(node.world, ExpectedHardware(**{**sound, **changed}), lambda: eight() if seen is None else seen)


def p5_without_answer(node: Node, message: str = "the NVIDIA driver is not loaded", status: int = HARDWARE) -> Machine:
    """Return one whose GPUs cannot be read."""

    def no_answer() -> Gpus:
        raise NodeError(message, status)

    return p5(node)._replace(gpus=no_answer)


def nodes_without_gpus(node: Node) -> list[Machine]:
    """Return nodes that no check of GPUs should say anything of, though a queue's nodes may differ."""
    return [
        p5(node, setup="cpu", gpus=None, fabric="none"),
        p5(node, setup="neuron", gpus=None, fabric="none"),
        p5(node, setup="gpu", gpus=0, fabric="none"),
        p5(node, setup="", gpus=None, fabric="none"),
    ]
