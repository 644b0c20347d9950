"""Keeps a sick node from jobs, and gives it back when it is well again: but only what a health check itself held.

A reservation does it, which ends by itself where the node is gone. A node that is only drained is replaced by
clustermgtd, evidence and all:
https://github.com/aws/aws-parallelcluster-node/pull/727
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trainyard_node.atomic_write import write_whole
from trainyard_node.clock import in_words
from trainyard_node.errors import NO_SPACE, NodeError
from trainyard_node.health.outcome import Outcome, failures, worst_by_check
from trainyard_node.health.report import reason
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.record import read_record
from trainyard_node.slurm_node import SlurmNode

# Longer than health checks are apart, by far; and as long as a node that is gone keeps its name from jobs.
HELD_MIN = 60


def record_of_hold(places: Places) -> Path:
    """Return the file that says that a health check holds this node, and why."""
    return places.at("/var/lib/trainyard/health-hold.json")


class NodeHold:
    """Holds this node, or gives it back."""

    def __init__(self, world: World) -> None:
        """Ask nothing yet."""
        self._places, self._clock = world.places, world.clock
        self._slurm = SlurmNode(world.places, world.processes)
        self._file = record_of_hold(world.places)

    def follow(self, outcomes: Sequence[Outcome]) -> str:
        """Hold a node that is unhealthy, give back one that is healthy, and return what to say. Raises NodeError."""
        return self._hold(outcomes) if failures(outcomes) else self._give_back(outcomes)

    def _hold(self, outcomes: Sequence[Outcome]) -> str:
        before = read_record(self._file)
        other = self._held_by_another(before)
        if other:
            return f"{other}, so the health check does not hold it as well"
        # Written first: a run that is killed in between holds a node that a later run can give back.
        self._write(outcomes, before)
        try:
            held = self._slurm.hold_for(HELD_MIN)
        except NodeError:
            if before is None and not self._slurm.is_held():
                self._forget()
            raise
        warning = f"; {held.warning}" if held.warning else ""
        return f"the reservation {held.reservation} keeps jobs from this node: {reason(outcomes)}{warning}"

    def _give_back(self, outcomes: Sequence[Outcome]) -> str:
        record = read_record(self._file)
        if record is None and self._file.exists():
            return f"{self._file} is damaged: see whether Slurm still holds this node, then remove the file"
        if record is None or self._bootstrap_holds():
            # Whatever the bootstrap holds waits for a bootstrap that succeeds.
            self._forget()
            return ""
        doubtful = _not_well(record, outcomes)
        if doubtful:
            self._slurm.hold_for(HELD_MIN)
            return f"this node stays held, because it was for {', '.join(doubtful)}, and that is not known to be well"
        problem = self._slurm.give_back()
        if self._slurm.is_held():
            raise NodeError(f"this node is healthy, but still held: {problem}")
        self._forget()
        return "this node is healthy again, and the reservation that held it is removed"

    def _held_by_another(self, record: dict[str, Any] | None) -> str:
        if self._bootstrap_holds():
            return "the bootstrap holds this node already"
        if record is None and self._slurm.is_held():
            return "somebody else holds this node already, or the record of the health check is lost"
        return ""

    def _bootstrap_holds(self) -> bool:
        record = read_record(self._places.record)
        return record is not None and record.get("status") == "held"

    def _write(self, outcomes: Sequence[Outcome], before: dict[str, Any] | None) -> None:
        """Add what fails now to what failed before: the node is given back once all of it is well."""
        checks = dict.fromkeys([*_checks(before), *(failure.check for failure in failures(outcomes))])
        since = (before or {}).get("since") or in_words(self._clock.now())
        record = {"schema": 1, "checks": list(checks), "reason": reason(outcomes), "since": since}
        try:
            write_whole(self._file, json.dumps(record, indent=2) + "\n")
        except OSError as error:
            why = f"cannot write {self._file} ({error.strerror}), without which nobody would give this node back"
            raise NodeError(f"{why}: it is not held; make room, and run this as root", NO_SPACE) from error

    def _forget(self) -> None:
        try:
            self._file.unlink()
        except FileNotFoundError:
            return
        except OSError as error:
            raise NodeError(f"cannot remove {self._file} ({error.strerror}): run this as root") from error


def _checks(record: dict[str, Any] | None) -> list[str]:
    checks = (record or {}).get("checks")
    return [check for check in checks if isinstance(check, str)] if isinstance(checks, list) else []


def _not_well(record: dict[str, Any], outcomes: Sequence[Outcome]) -> list[str]:
    """Return for what the node was held that this run does not find well: hardware that has vanished is not."""
    worst = worst_by_check(outcomes)
    return [check for check in _checks(record) if worst.get(check) not in {"ok", "warning"}]
