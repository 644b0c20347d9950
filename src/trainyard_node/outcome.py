"""How a bootstrap ends: the node gets jobs, is replaced, or is held so that somebody can look at it.

Evidence leaves the node first, because ParallelCluster ends a compute node whose custom action fails.
"""

from __future__ import annotations

from trainyard_node.errors import DONE, FAILED, NodeError
from trainyard_node.journal import Journal
from trainyard_node.places import Places
from trainyard_node.record import one_line
from trainyard_node.slurm_node import SlurmNode


def become_ready(journal: Journal, places: Places) -> int:
    """Let jobs come."""
    mark_ready(journal, places)
    journal.record.status, journal.record.message = "ready", ""
    journal.ended()
    return DONE


def mark_ready(journal: Journal, places: Places) -> None:
    """Make the file that tells jobs so. It is gone after a reboot."""
    try:
        places.run.mkdir(mode=0o755, parents=True, exist_ok=True)
        places.ready.touch(mode=0o644)
    except OSError as error:
        journal.warn(f"cannot write {places.ready} ({error.strerror}): jobs that wait for it do not start")


def fail(journal: Journal, message: str, slurm: SlurmNode | None, *, hold: bool) -> int:
    """Write down why, hold the node where that is asked for, and return the exit status for ParallelCluster."""
    write_failure(journal, message)
    if slurm is None or not hold:
        return FAILED
    return DONE if hold_node(journal, slurm) else FAILED


def keep_up(journal: Journal, why: str) -> None:
    """Write down why another run on a node that takes jobs failed. The node goes on: to take it away loses its jobs."""
    journal.record.status, journal.record.message = "ready", one_line(f"the node goes on as it was: {why}")
    journal.warn(f"failed: {why}; the node goes on taking jobs as it did before")
    journal.ended()


def write_failure(journal: Journal, message: str) -> None:
    """Write down why the node is of no use, off the node too."""
    journal.record.status, journal.record.message = "failed", one_line(message)
    journal.warn(f"failed: {journal.record.message}")
    journal.ended()


def hold_node(journal: Journal, slurm: SlurmNode) -> bool:
    """Keep the node from jobs and from being replaced. Return whether that worked."""
    record = journal.record
    try:
        held = slurm.hold()
    except NodeError as error:
        record.message = one_line(f"{record.message}; not held, but replaced: {error}")
        journal.warn(record.message)
        journal.ended()
        return False
    record.status = "held"
    journal.warn(f"the node is held by the reservation {held.reservation}, which keeps jobs away")
    if held.warning:
        journal.warn(held.warning)
    journal.ended()
    return True
