"""What Slurm thinks of this node: kept from jobs for inspection, given back to them, or given up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trainyard_node.errors import NodeError

if TYPE_CHECKING:
    from trainyard_node.places import Places
    from trainyard_node.processes import Processes, Ran

TIMEOUT_S = 15.0


class SlurmNode:
    """A compute node, as scontrol knows it."""

    def __init__(self, places: Places, processes: Processes) -> None:
        """Ask nothing yet."""
        self._places, self._processes = places, processes

    def hold(self) -> str:
        """Reserve the node for root, so that it gets no jobs, and return the reservation's name.

        Users=root keeps jobs away without draining the node, which clustermgtd would replace. There is no MAINT flag:
        ParallelCluster 3.8 to 3.15.1 ends nodes in maintenance without pause, in
        https://github.com/aws/aws-parallelcluster/issues/7465. https://slurm.schedmd.com/reservations.html
        """
        name = self._name()
        if not self._is_held(name):
            self._must(
                f"cannot reserve {name} to hold it",
                *("create", "reservation", f"ReservationName={_reservation(name)}", f"Nodes={name}", "Users=root"),
                *("StartTime=now", "Duration=UNLIMITED", "Flags=IGNORE_JOBS"),
            )
        # Slurm powers idle nodes down, reserved or not. Where this is refused, the node is held until it does.
        # https://slurm.schedmd.com/power_save.html
        self._scontrol("update", f"SuspendExcNodes+={name}")
        return _reservation(name)

    def give_back(self) -> bool:
        """Remove the reservation of an earlier node of this name, or of an earlier run, where there is one."""
        try:
            name = self._name()
        except NodeError:
            return False
        if not self._is_held(name):
            return False
        self._scontrol("update", f"SuspendExcNodes-={name}")
        return self._scontrol("delete", f"ReservationName={_reservation(name)}").status == 0

    def give_up(self, reason: str) -> None:
        """Drain the node, so that clustermgtd replaces it: https://github.com/aws/aws-parallelcluster-node/pull/727."""
        name = self._name()
        text = re.sub(r"[^A-Za-z0-9 .,:/-]", " ", reason)[:200]
        self._must(f"cannot drain {name}", "update", f"NodeName={name}", "State=DRAIN", f"Reason=trainyard: {text}")

    def _name(self) -> str:
        file = self._places.slurm_nodename
        try:
            name = file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise NodeError(f"{file}, which names the node in Slurm, cannot be read ({error.strerror})") from error
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", name):
            raise NodeError(f"{file} holds {name!a:.60} instead of a name of a node")
        return name

    def _is_held(self, name: str) -> bool:
        ran = self._scontrol("show", "reservation", _reservation(name))
        return ran.status == 0 and f"ReservationName={_reservation(name)} " in ran.output

    def _must(self, problem: str, *words: str) -> None:
        ran = self._scontrol(*words)
        if ran.status != 0:
            raise NodeError(f"{problem}: {ran.output.strip() or f'scontrol ended with status {ran.status}'}")

    def _scontrol(self, *words: str) -> Ran:
        return self._processes.run(["scontrol", *words], TIMEOUT_S)


def _reservation(name: str) -> str:
    return f"trainyard-hold-{name}"
