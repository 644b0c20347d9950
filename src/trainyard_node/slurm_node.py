"""What Slurm thinks of this node: kept from jobs for inspection, given back to them, or given up."""

from __future__ import annotations

import re
from typing import NamedTuple

from trainyard_node.errors import NodeError
from trainyard_node.places import Places
from trainyard_node.processes import Processes, Ran

TIMEOUT_S = 15.0
ATTEMPTS = 3
_OVERLAP = (
    "; jobs of that reservation still start on this node: see 'scontrol show reservation', and take the node out with "
    "'scontrol update ReservationName=… Nodes=…', which names all that stay in it, or drain the node"
)


class HeldNode(NamedTuple):
    """How a node is held."""

    reservation: str
    warning: str
    """What may end it, or nothing."""


class SlurmNode:
    """A compute node, as scontrol knows it."""

    def __init__(self, places: Places, processes: Processes) -> None:
        """Ask nothing yet."""
        self._places, self._processes = places, processes

    def hold(self) -> HeldNode:
        """Reserve the node for root, so that it gets no jobs, and send away the job that it was started for.

        Users=root keeps jobs away without draining the node, which clustermgtd would replace. There is no MAINT flag:
        ParallelCluster 3.8 to 3.15.1 ends nodes in maintenance without pause, in
        https://github.com/aws/aws-parallelcluster/issues/7465. https://slurm.schedmd.com/reservations.html
        """
        name = self._name()
        if self._is_reserved(name):
            # It may be one of the health check, which ends.
            self._change(name, "Duration=UNLIMITED")
        else:
            self._reserve(name, "UNLIMITED")
        self._send_jobs_away(name)
        return HeldNode(_reservation(name), self._keep_powered(name))

    def hold_for(self, minutes: int) -> HeldNode:
        """Reserve the node for a time from now on. Its jobs go on to their end: they may be the work of many nodes.

        Whoever holds it calls this again and again, so that the reservation of a node that is gone ends by itself.
        For the same reason, the node is not excepted from power saving by its name, which nobody would take back.
        """
        name = self._name()
        if self._is_reserved(name):
            self._change(name, f"EndTime=now+{minutes}minutes")
        else:
            self._reserve(name, str(minutes))
        at_risk = _is_dynamic(name) and not self._spares_reserved()
        warning = "Slurm powers it down once it is idle, unless slurm.conf says SuspendExcStates=RESERVED"
        return HeldNode(_reservation(name), warning if at_risk else "")

    def is_held(self) -> bool:
        """Ask whether a reservation of ours keeps jobs from the node."""
        return self._is_reserved(self._name())

    def give_back(self) -> str:
        """Remove the reservation of an earlier node of this name, or of an earlier run. Return what to say of it."""
        try:
            name = self._name()
            if not self._is_reserved(name):
                return ""
            if _is_dynamic(name):
                self._scontrol("update", f"SuspendExcNodes-={name}")
            self._must(f"cannot remove {_reservation(name)}", "delete", f"ReservationName={_reservation(name)}")
        except NodeError as error:
            return f"{error}: a reservation of that name would keep jobs away"
        return "the reservation that held an earlier node of this name is removed"

    def give_up(self, reason: str) -> None:
        """Drain the node, so that clustermgtd replaces it: https://github.com/aws/aws-parallelcluster-node/pull/727."""
        name = self._name()
        text = re.sub(r"[^A-Za-z0-9 .,:/-]", " ", reason)[:200]
        self._must(f"cannot drain {name}", "update", f"NodeName={name}", "State=DRAIN", f"Reason=trainyard: {text}")

    def _reserve(self, name: str, duration: str) -> None:
        ran = self._scontrol(
            *("create", "reservation", f"ReservationName={_reservation(name)}", f"Nodes={name}", "Users=root"),
            *("StartTime=now", f"Duration={duration}", "Flags=IGNORE_JOBS"),
        )
        if ran.status != 0:
            advice = _OVERLAP if "overlap" in ran.output else ""
            raise NodeError(f"cannot reserve {name} to hold it: {_output_of(ran)}{advice}")

    def _change(self, name: str, change: str) -> None:
        self._must(f"cannot go on holding {name}", "update", f"ReservationName={_reservation(name)}", change)

    def _name(self) -> str:
        file = self._places.slurm_nodename
        try:
            name = file.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise NodeError(
                f"{file}, which names the node in Slurm, cannot be read ({error.strerror}): only compute nodes are held"
            ) from error
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", name):
            raise NodeError(f"{file} holds {name!a:.60} instead of a name of a node")
        return name

    def _send_jobs_away(self, name: str) -> None:
        """Requeue what was allocated to the node before the reservation: a dynamic node starts because of a job."""
        listed = self._processes.run(["squeue", "--noheader", f"--nodelist={name}", "--format=%A"], TIMEOUT_S)
        if listed.status != 0:
            raise NodeError(f"cannot ask which jobs {name} has: {listed.output.strip()}")
        for job in dict.fromkeys(re.findall(r"^[0-9]+$", listed.output, re.MULTILINE)):
            self._must(f"cannot requeue job {job}, which {name} was started for", "requeue", job)

    def _keep_powered(self, name: str) -> str:
        """See that power saving leaves a dynamic node alone, and return a warning where it may not.

        Slurm powers idle nodes down, reserved or not, unless slurm.conf says SuspendExcStates=RESERVED, as trainyard's
        does with on_failure hold: https://slurm.schedmd.com/slurm.conf.html#OPT_SuspendExcStates. Otherwise the node is
        excepted by its name, which Slurm forgets when it reads slurm.conf again: ReconfigFlags=KeepPowerSaveSettings
        would prevent that, but ParallelCluster takes ReconfigFlags from nobody. It excepts static nodes itself.
        https://slurm.schedmd.com/power_save.html
        """
        if not _is_dynamic(name) or self._spares_reserved():
            return ""
        ran = self._scontrol("update", f"SuspendExcNodes+={name}")
        if ran.status != 0:
            return f"Slurm powers the held node down when it has been idle for long: {ran.output.strip()}"
        return "the held node stays until Slurm reads its configuration again, such as by an update of the cluster"

    def _spares_reserved(self) -> bool:
        """Ask whether power saving leaves reserved nodes alone. Without an answer they count as not left alone."""
        shown = self._scontrol("show", "config").output
        states = re.search(r"^SuspendExcStates\s*=\s*(\S+)$", shown, re.MULTILINE | re.IGNORECASE)
        return states is not None and "RESERVED" in states[1].upper().split(",")

    def _is_reserved(self, name: str) -> bool:
        """Ask whether the reservation exists. A slurmctld that is busy, as when many nodes start, is asked again."""
        for _ in range(ATTEMPTS):
            ran = self._scontrol("show", "reservation", _reservation(name))
            if "not found" in ran.output:
                return False
            if ran.status == 0:
                return f"ReservationName={_reservation(name)} " in ran.output
        raise NodeError(f"cannot ask Slurm for {_reservation(name)}: {ran.output.strip()}")

    def _must(self, problem: str, *words: str) -> None:
        ran = self._scontrol(*words)
        if ran.status != 0:
            raise NodeError(f"{problem}: {_output_of(ran)}")

    def _scontrol(self, *words: str) -> Ran:
        return self._processes.run(["scontrol", *words], TIMEOUT_S)


def _output_of(ran: Ran) -> str:
    return ran.output.strip() or f"scontrol ended with status {ran.status}"


def _reservation(name: str) -> str:
    return f"trainyard-hold-{name}"


def _is_dynamic(name: str) -> bool:
    """Whether Slurm powers the node down: QUEUE-dy-RESOURCE-NUMBER.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
    """
    return "-dy-" in name
