"""What checks look at: the node, what it should have, and its GPUs, which are read once for all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

from trainyard_node.errors import NodeError
from trainyard_node.health.nvml import Gpus, read_gpus
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.places import Places


class ExpectedHardware(NamedTuple):
    """What the catalog says about nodes of this type, as far as node.env tells. None is unknown."""

    gpus: int | None = None
    efa_interfaces: int | None = None
    fabric: str = "none"
    """What brings up the NVSwitches: none, fabric-manager or nvlsm."""
    shared: str = ""
    """Where the shared file system is mounted, or nothing."""
    setup: str = ""
    """gpu, cpu, neuron or none."""
    instance_type: str = ""


class Machine(NamedTuple):
    """A node."""

    world: World
    expected: ExpectedHardware
    gpus: Callable[[], Gpus]
    """What NVML says. Raises NodeError where it says nothing."""


def this_machine(world: World) -> Machine:
    """Return the node that this runs on. Its GPUs are not read before a check asks for them."""
    return Machine(world, expected_hardware(world.places), _Once(lambda: read_gpus(world)))


def expected_hardware(places: Places) -> ExpectedHardware:
    """Return what node.env tells. Where it is missing or damaged, settings-known says so, and other checks go on."""
    try:
        settings = read_node_env(places)
    except NodeError:
        return ExpectedHardware()
    return ExpectedHardware(
        gpus=count(settings.get("TRAINYARD_GPUS", "")),
        efa_interfaces=count(settings.get("TRAINYARD_EFA_INTERFACES", "")),
        fabric=settings.get("TRAINYARD_FABRIC", "") or "none",
        shared=settings.get("TRAINYARD_SHARED", ""),
        setup=settings.get("TRAINYARD_SETUP", ""),
        instance_type=settings.get("TRAINYARD_INSTANCE_TYPE", ""),
    )


def count(text: str) -> int | None:
    """Return a number of devices, or None where the text is none."""
    return int(text) if re.fullmatch("[0-9]{1,4}", text) else None


class _Once:
    """Reads the GPUs when the first check asks, while the others wait, and gives all of them the same answer."""

    def __init__(self, read: Callable[[], Gpus]) -> None:
        self._read, self._lock = read, Lock()
        self._answer: Gpus | NodeError | None = None

    def __call__(self) -> Gpus:
        with self._lock:
            if self._answer is None:
                self._answer = self._ask()
        if isinstance(self._answer, NodeError):
            raise self._answer
        return self._answer

    def _ask(self) -> Gpus | NodeError:
        try:
            return self._read()
        except NodeError as error:
            return error
