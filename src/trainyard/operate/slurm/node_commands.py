"""What is done to single nodes of a Slurm, as root on its head node: kept from jobs, given up, proven, given back.

A reservation keeps jobs away and stays when the node is replaced. It has no MAINT flag: ParallelCluster 3.8 to 3.15.1
takes a node in maintenance for one of a Capacity Block that has not begun, and ends it without pause. clustermgtd
itself replaces a node that is drained and has no jobs any more.
https://github.com/aws/aws-parallelcluster/issues/7465 and https://github.com/aws/aws-parallelcluster-node/pull/728
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trainyard.edge.remote_command import CommandResult
from trainyard.errors import TrainyardError
from trainyard.foreign_text import quoted, word_or_quoted
from trainyard.operate.slurm.slurm_state import HeadNode, SlurmNode

# https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_HAVE_NODES = "RUNNING,COMPLETING,CONFIGURING,SUSPENDED,STOPPED"
_AS_ROOT = 'if ((UID)); then exec sudo -n "$(command -v "$1")" "${@:2}"; fi; exec "$@"'
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,254}")
_REASON = re.compile(r"[^A-Za-z0-9 .,:/()-]")
_HEALTH = "/usr/local/bin/trainyard-node"
_HEALTH_MIN = "5"


@dataclass(frozen=True, slots=True)
class NodeCommands:
    """Commands about one node."""

    head: HeadNode
    node: str

    def __post_init__(self) -> None:
        """Refuse what is no name of a node: it becomes part of commands. Raises TrainyardError."""
        if not _NAME.fullmatch(self.node):
            raise TrainyardError(f"{quoted(self.node)} is no name of a node of Slurm")

    @property
    def reservation(self) -> str:
        """Return the name of the reservation that keeps jobs away. Nodes remove their own, which has another name."""
        return f"trainyard-replace-{self.node}"

    def hold(self) -> None:
        """Let no further jobs begin on the node, whatever runs there. Raises TrainyardError."""
        if self.is_held():
            return
        self._must(
            "scontrol", "create", "reservation", f"ReservationName={self.reservation}", f"Nodes={self.node}",
            "Users=root", "StartTime=now", "Duration=UNLIMITED", "Flags=IGNORE_JOBS,OVERLAP",
        )  # fmt: skip

    def is_held(self) -> bool:
        """Ask whether the reservation is there. Raises TrainyardError where Slurm does not say."""
        shown = self._run("scontrol", "show", "reservation", self.reservation)
        if shown.status == 0:
            return f"ReservationName={self.reservation} " in shown.text
        if "not found" in f"{shown.text}{shown.error}":
            return False
        raise self._failed("scontrol show reservation", shown)

    def release(self) -> None:
        """Give the node back to jobs. Raises TrainyardError."""
        if self.is_held():
            self._must("scontrol", "delete", f"ReservationName={self.reservation}")

    def jobs(self) -> tuple[str, ...]:
        """Return the jobs that are on the node, in words that no user has chosen. Raises TrainyardError."""
        words = ("squeue", "--noheader", f"--nodelist={self.node}", f"--states={_HAVE_NODES}", "--format=%i|%u|%D")
        jobs = [line.split("|") for line in self._must(*words).text.split("\n") if line.count("|") == 2]
        return tuple(
            f"job {word_or_quoted(id_)} of {word_or_quoted(user)} on {count} {'node' if count == '1' else 'nodes'}"
            for id_, user, count in jobs
        )

    def drain(self, reason: str) -> None:
        """Give the node up once its jobs are over: then clustermgtd replaces it. Raises TrainyardError."""
        self._update("State=DRAIN", f"Reason=trainyard: {_REASON.sub(' ', reason)[:200]}")

    def end_jobs(self, reason: str) -> None:
        """Give the node up at once: Slurm ends its jobs, and requeues those that may be. Raises TrainyardError."""
        self._update("State=DOWN", f"Reason=trainyard: {_REASON.sub(' ', reason)[:200]}")

    def power_down_after_jobs(self, reason: str) -> None:
        """Let Slurm power the node down once it has no job, and start none on it before. Raises TrainyardError."""
        self._update("State=POWER_DOWN_ASAP", f"Reason=trainyard: {_REASON.sub(' ', reason)[:200]}")

    def power_up(self, state: SlurmNode) -> None:
        """Have a node started that has no power, without a job. Raises TrainyardError."""
        if state.plain_state in ("down", "drained"):
            self._update("State=RESUME")
        self._update("State=POWER_UP")

    def health_problem(self) -> str:
        """Return what the health check of the node finds, run on it as a job of root; empty where it is well."""
        ran = self._run(
            "srun", "--quiet", f"--nodelist={self.node}", "--nodes=1", "--ntasks=1",
            f"--reservation={self.reservation}", f"--time={_HEALTH_MIN}", "--immediate=60",
            "--job-name=trainyard-health", _HEALTH, "health", "--slurm",
        )  # fmt: skip
        return "" if ran.status == 0 else quoted(ran.text.strip() or ran.message)

    def _update(self, *changes: str) -> None:
        self._must("scontrol", "update", f"NodeName={self.node}", *changes)

    def _must(self, *words: str) -> CommandResult:
        ran = self._run(*words)
        if ran.status:
            raise self._failed(" ".join(words[:2]), ran)
        return ran

    def _run(self, *words: str) -> CommandResult:
        return self.head.run(("bash", "-c", _AS_ROOT, "trainyard", *words))

    def _failed(self, what: str, ran: CommandResult) -> TrainyardError:
        return TrainyardError(f"{what} for {self.node} failed: {quoted(ran.message)}", where=self.node)
