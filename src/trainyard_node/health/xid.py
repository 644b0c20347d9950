"""The NVIDIA driver's error messages in the kernel's log, Xids, and what they mean: xid.json."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainyard_node.health.kernel_log import Line

# At the start of the kernel's message: elsewhere, it is the name of a process that somebody chose.
# Older drivers write no "PCI:". https://docs.nvidia.com/deploy/xid-errors/
_MESSAGE = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]{1,20})\): ([0-9]{1,5})\b,? ?(.*)", re.DOTALL)
_RECOVERY_ACTION = re.compile(r" to 0x[0-9a-fA-F]+ \(([A-Za-z0-9 ]{1,40})\)")
# Announces what the others need.
RECOVERY_ACTION_CHANGED = 154


class Xid(NamedTuple):
    """What an Xid means: a row of xid.json."""

    number: int
    name: str
    severity: str
    """fatal, warning, info or application; unknown where the table does not have it."""
    remedy: str
    source: str


class XidEvent(NamedTuple):
    """An Xid on a GPU, however often."""

    pci: tuple[int, ...]
    """Domain, bus and device."""
    number: int
    times: int
    last_s: float
    """Since boot."""
    text: str
    """What the driver said the last time."""


class Table(NamedTuple):
    """xid.json."""

    xids: Mapping[int, Xid]
    recovery_actions: Mapping[str, str]
    """What Xid 154 may ask for, and how severe that is."""
    source: str


def table() -> Table:
    """Return what is known about Xids."""
    values = json.loads(pkgutil.get_data("trainyard_node.health", "xid.json") or b"{}")
    remedies, sources = values["remedies"], values["sources"]
    xids = [
        Xid(row["number"], row["name"], row["severity"], remedies[row["remedy"]], sources[row["source"]])
        for row in values["xids"]
    ]
    return Table({xid.number: xid for xid in xids}, values["recovery_actions"], sources["catalog"])


def xid_events(lines: Iterable[Line]) -> list[XidEvent]:
    """Return the Xids of some lines, each once for a GPU, in the order of their first time."""
    by_key: dict[tuple[tuple[int, ...], int], XidEvent] = {}
    for line in lines:
        match = _MESSAGE.match(line.text)
        if match:
            key = (pci(match[1]), int(match[2]))
            times = by_key[key].times + 1 if key in by_key else 1
            by_key[key] = XidEvent(*key, times, line.seconds, match[3][:300])
    return list(by_key.values())


def xid_meaning(event: XidEvent, xid_table: Table) -> Xid:
    """Return what an Xid means. Of one that announces a recovery action, that action says how severe it is."""
    xid = xid_table.xids.get(event.number)
    if xid is None:
        remedy = "look it up in NVIDIA's catalogue"
        return Xid(event.number, "not in the table of this program", "unknown", remedy, xid_table.source)
    if event.number != RECOVERY_ACTION_CHANGED:
        return xid
    action = _RECOVERY_ACTION.search(event.text)
    return xid._replace(severity=xid_table.recovery_actions.get(action[1] if action else "", "warning"))


def pci(text: str) -> tuple[int, ...]:
    """Return domain, bus and device of an address, as the driver writes it or as NVML does: 00000000:53:00.0."""
    return tuple(int(part, 16) for part in re.split("[:.]", text) if part)[:3]
