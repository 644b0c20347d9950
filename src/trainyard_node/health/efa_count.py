"""Whether all EFA interfaces are there that nodes of this type have."""

from __future__ import annotations

from trainyard_node.health.efa_devices import efa_devices, efa_without_driver
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome

NAME = "efa-count"
_SOURCE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
_NO_DRIVER = "run 'modprobe efa' and see 'dmesg'; where that helps only until a reboot, the image lacks the driver"
_MISSING = (
    "give the instance back to EC2 and take another; where every node of the queue lacks it, see 'efa' of the spec"
)


def check(machine: Machine) -> list[Outcome]:
    """Count the devices of EFA's driver, and name those that are there without it."""
    devices, lost = efa_devices(machine.world.places), efa_without_driver(machine.world.places)
    expected = machine.expected.efa_interfaces
    unbound = [
        Outcome(NAME, "failed", "this EFA device is there, but no driver runs it", device, _NO_DRIVER)
        for device in lost
    ]
    if not devices and not lost and not expected:
        return [Outcome(NAME, "absent", "no EFA interface is here, and none is expected")]
    if expected is None:
        message = f"{len(devices)} EFA interfaces are here, and how many there should be is not known"
        return [*unbound, Outcome(NAME, "ok", message)]
    if len(devices) < expected:
        message = f"{len(devices)} of {expected} EFA interfaces are here{_here(devices)}"
        return [*unbound, Outcome(NAME, "failed", message, remedy=_NO_DRIVER if lost else _MISSING, source=_SOURCE)]
    return [*unbound, Outcome(NAME, "ok", f"{len(devices)} EFA interfaces are here, {expected} are expected")]


def _here(devices: list[str]) -> str:
    return f": {' '.join(devices)}" if devices else ""
