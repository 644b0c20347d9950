"""All checks, and how they are run: at once, each until a deadline, so that one that hangs or breaks hides no other."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Thread
from typing import Protocol

from trainyard_node.errors import NodeError
from trainyard_node.health import (
    clock_in_sync,
    efa_count,
    efa_provider,
    gpu_clocks,
    gpu_count,
    gpu_dcgm,
    gpu_driver,
    gpu_ecc,
    gpu_fabric,
    gpu_nvlink,
    gpu_row_remap,
    gpu_xid,
    scratch_mounted,
    settings_known,
    shared_mounted,
)
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import Outcome

# Within ten seconds the verdict is there: what is left is for starting Python and for printing.
DEADLINE_S = 9.0


class Check(Protocol):
    """What a file of this folder is that holds a check."""

    NAME: str

    def check(self, machine: Machine) -> list[Outcome]:
        """Look at the node. Whatever this raises becomes an outcome that is unknown."""
        ...


CHECKS: tuple[Check, ...] = (
    settings_known,
    gpu_driver,
    gpu_count,
    gpu_ecc,
    gpu_row_remap,
    gpu_xid,
    gpu_nvlink,
    gpu_fabric,
    gpu_clocks,
    gpu_dcgm,
    efa_count,
    efa_provider,
    shared_mounted,
    scratch_mounted,
    clock_in_sync,
)
NAMES = tuple(check.NAME for check in CHECKS)


class Checks:
    """Runs checks, once or over and over."""

    def __init__(self, checks: Iterable[Check] = CHECKS, deadline_s: float = DEADLINE_S) -> None:
        """Begin nothing yet."""
        self._checks, self._deadline_s = tuple(checks), deadline_s
        self._hanging: dict[str, _CheckRun] = {}

    def run(self, machine: Machine) -> list[Outcome]:
        """Return what all of them say, in their order, at the deadline at the latest.

        A check that still hangs since an earlier run is not begun a second time, so that they do not pile up.
        """
        clock = machine.world.clock
        end = clock.seconds() + self._deadline_s
        runs = [self._hanging.get(check.NAME) or _CheckRun(check, machine) for check in self._checks]
        outcomes = [outcome for run in runs for outcome in run.outcomes(end - clock.seconds())]
        self._hanging = {run.name: run for run in runs if run.is_alive()}
        return outcomes


class _CheckRun:
    """A check that runs. Its thread is a daemon: one that hangs in the kernel does not keep the program from ending."""

    def __init__(self, check: Check, machine: Machine) -> None:
        self.name = check.NAME
        self._check, self._machine = check, machine
        self._found: list[Outcome] = [Outcome(self.name, "unknown", "the check ended without an answer")]
        self._thread = Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def outcomes(self, within_s: float) -> list[Outcome]:
        self._thread.join(max(within_s, 0.0))
        if not self._thread.is_alive():
            return self._found
        remedy = "see what hangs with 'ps -eo pid,stat,wchan:30,args'; a state of D waits for a device or a file system"
        return [Outcome(self.name, "unknown", "the check did not answer in time", remedy=remedy)]

    def _run(self) -> None:
        try:
            outcomes = self._check.check(self._machine)
        except NodeError as error:
            outcomes = [Outcome(self.name, "unknown", str(error))]
        except Exception as error:  # noqa: BLE001 - a bug of one check shall not hide what the others found
            outcomes = [Outcome(self.name, "unknown", f"the check failed: {type(error).__name__}: {error}")]
        if outcomes:
            self._found = [outcome.on_one_line() for outcome in outcomes]
