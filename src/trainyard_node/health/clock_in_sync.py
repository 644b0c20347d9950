"""Whether the clock is right. Slurm's daemons stop understanding each other where clocks differ by minutes."""

from __future__ import annotations

from typing import NamedTuple

from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome
from trainyard_node.processes import Processes

NAME = "clock-in-sync"
TIMEOUT_S = 4.0
# How long munge's credentials are valid: MUNGE_DEFAULT_TTL of
# https://github.com/dun/munge/blob/master/src/libcommon/munge_defs.h
# AWS names no limit below that, and neither does Slurm, so nothing smaller counts as wrong.
LIMIT_S = 300.0
_SOURCE = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html"
_REMEDY = "run 'systemctl restart chronyd' (chrony on Ubuntu) and see 'chronyc sources': it needs 169.254.169.123"


class _Tracking(NamedTuple):
    is_synchronised: bool
    offset_s: float


def check(machine: Machine) -> list[Outcome]:
    """Ask chrony, which ParallelCluster installs, and otherwise systemd."""
    processes = machine.world.processes
    ran = processes.run(["chronyc", "-c", "-n", "tracking"], TIMEOUT_S)
    tracking = _tracking(ran.output) if ran.status == 0 else None
    if tracking is None:
        return [_as_systemd_says(processes)]
    if abs(tracking.offset_s) >= LIMIT_S:
        message = f"the clock is {abs(tracking.offset_s):.0f} s off; from {LIMIT_S:g} s on, munge refuses credentials"
        return [Outcome(NAME, "failed", message, remedy=_REMEDY, source=_SOURCE)]
    if not tracking.is_synchronised:
        return [Outcome(NAME, "warning", "chrony has no source of time", remedy=_REMEDY, source=_SOURCE)]
    return [Outcome(NAME, "ok", f"chrony keeps the clock within {abs(tracking.offset_s) * 1e6:.0f} µs")]


def _tracking(output: str) -> _Tracking | None:
    """Read the fields, in the order of https://manpages.ubuntu.com/manpages/plucky/man1/chronyc.1.html ("tracking").

    They are counted from the end, where they are the same in all versions: by how many seconds the clock is off, and
    nine after it whether anything keeps it.
    """
    fields = output.strip().split(",")
    if len(fields) < 13:
        return None
    try:
        return _Tracking(fields[-1] != "Not synchronised", float(fields[-10]))
    except ValueError:
        return None


def _as_systemd_says(processes: Processes) -> Outcome:
    """Say what is known without chrony: https://www.freedesktop.org/software/systemd/man/latest/timedatectl.html."""
    ran = processes.run(["timedatectl", "show", "--property=NTPSynchronized", "--value"], TIMEOUT_S)
    answer = ran.output.strip()
    if ran.status == 0 and answer == "yes":
        return Outcome(NAME, "ok", "systemd says that the clock is synchronised")
    if ran.status == 0 and answer == "no":
        return Outcome(NAME, "warning", "systemd says that the clock is not synchronised", "", _REMEDY, _SOURCE)
    return Outcome(
        NAME, "unknown", "neither chronyc nor timedatectl says whether the clock is right", "", _REMEDY, _SOURCE
    )
