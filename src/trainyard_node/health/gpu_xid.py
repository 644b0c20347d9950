"""Which errors the NVIDIA driver has written into the kernel's log since boot: Xids, judged by xid.json."""

from __future__ import annotations

from trainyard_node.errors import NodeError
from trainyard_node.health.gpu_answers import absent, gpu_name, has_gpus
from trainyard_node.health.kernel_log import PATH, KernelLog, kernel_log
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome
from trainyard_node.health.xid import Xid, XidEvent, pci, table, xid_events, xid_meaning

NAME = "gpu-xid"
STATUSES = {"fatal": "failed", "warning": "warning", "unknown": "warning"}
_CAPABILITY = f"run it as root, or give its unit AmbientCapabilities=CAP_SYSLOG; {PATH} has to be there"


def check(machine: Machine) -> list[Outcome]:
    """Read the kernel's log. A reboot begins it anew, which is also the remedy of most of what it says."""
    if not has_gpus(machine):
        return [absent(NAME)]
    try:
        log = kernel_log(machine.world.places, machine.world.clock, b"NVRM: Xid")
    except OSError as error:
        message = f"the kernel's log cannot be read ({error.strerror}), and so no Xid"
        return [Outcome(NAME, "unknown", message, PATH, _CAPABILITY)]
    return _judge(machine, log)


def _judge(machine: Machine, log: KernelLog) -> list[Outcome]:
    table_ = table()
    events = [(event, xid_meaning(event, table_)) for event in xid_events(log.lines)]
    bad = [(event, xid) for event, xid in events if xid.severity in STATUSES]
    if not bad:
        return [Outcome(NAME, "ok", _harmless([event for event, _ in events]) + _extent(log))]
    devices = _devices(machine)
    return sorted((_outcome(event, xid, devices) for event, xid in bad), key=lambda outcome: outcome.status)


def _outcome(event: XidEvent, xid: Xid, devices: dict[tuple[int, ...], str]) -> Outcome:
    often = f"{event.times} times, last" if event.times > 1 else "once,"
    unrated = " (of unknown severity)" if xid.severity == "unknown" else ""
    message = f"Xid {xid.number}{unrated}, {xid.name}, {often} {event.last_s:.0f} s after boot: {event.text:.200}"
    device = devices.get(event.pci, _address(event.pci))
    return Outcome(NAME, STATUSES[xid.severity], message, device, xid.remedy, xid.source, str(xid.number), xid.name)


def _harmless(events: list[XidEvent]) -> str:
    if not events:
        return "no Xid in the kernel's log"
    text = ", ".join(f"{event.number} on {_address(event.pci)} ({event.times})" for event in events[:20])
    return f"only Xids of applications, or for information: {text}"


def _extent(log: KernelLog) -> str:
    """Return what the answer does not cover."""
    gone = f"; the log has lost its first {log.gone} records, and what they said" if log.gone else ""
    return gone + ("; the kernel writes faster than this reads, and the end was not read" if log.is_cut else "")


def _devices(machine: Machine) -> dict[tuple[int, ...], str]:
    """Return which address is which GPU, where NVML answers."""
    try:
        gpus = machine.gpus().gpus
    except NodeError:
        return {}
    return {pci(gpu.pci_bus_id): gpu_name(gpu) for gpu in gpus if gpu.pci_bus_id}


def _address(place: tuple[int, ...]) -> str:
    domain, bus, device = (*place, 0, 0, 0)[:3]
    return f"PCI {domain:04x}:{bus:02x}:{device:02x}"
