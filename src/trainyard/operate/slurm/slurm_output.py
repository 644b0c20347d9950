"""How the Slurm of a cluster is told: in lines, or as values for JSON. What users wrote is a quotation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trainyard.foreign_text import quoted, word_or_quoted
from trainyard.operate.slurm.slurm_state import SlurmJob, SlurmState

_MOST_JOBS = 5
_MOST_USERS = 5
_MOST_REASONS = 5


def slurm_lines(slurm: SlurmState) -> Iterator[str]:
    """Yield how many jobs there are, who has how many nodes, the first jobs, and why nodes take none."""
    yield f"  jobs: {slurm.running_count:,} running, {slurm.waiting_count:,} waiting"
    if slurm.nodes_by_user:
        users = ", ".join(f"{word_or_quoted(user)} {nodes:,}" for user, nodes in slurm.nodes_by_user[:_MOST_USERS])
        beyond = len(slurm.nodes_by_user) - _MOST_USERS
        yield f"  nodes of users: {users}{f' and {beyond} more users' if beyond > 0 else ''}"
    yield from _jobs("running", slurm.running, slurm.running_count)
    yield from _jobs("waiting", slurm.waiting, slurm.waiting_count)
    yield from _reasons(slurm)


def _jobs(what: str, jobs: Sequence[SlurmJob], count: int) -> Iterator[str]:
    for job in jobs[:_MOST_JOBS]:
        since = f", since {job.begins}" if job.begins and not job.waits else ""
        place = f": {word_or_quoted(job.place)}" if job.place else ""
        yield f"  {what}: {job}{since}{place}"
    shown = len(jobs[:_MOST_JOBS])
    if shown and count > shown:
        yield f"  {what}: and {count - shown:,} more"


def _reasons(slurm: SlurmState) -> Iterator[str]:
    """Yield why nodes are down or drained, those with the same reason on one line."""
    alike: dict[tuple[str, str], list[str]] = {}
    for node in slurm.nodes:
        if node.reason and node.has_power:
            alike.setdefault((node.state, node.reason), []).append(node.name)
    for (state, reason), names in [*alike.items()][:_MOST_REASONS]:
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"  node {names[0]}{more} {state}: {quoted(reason)}"


def slurm_values(slurm: SlurmState) -> dict[str, Any]:
    """Return it as values for JSON."""
    return {
        "nodes": [{**node._asdict(), "queues": list(node.queues)} for node in slurm.nodes],
        "running": slurm.running_count,
        "waiting": slurm.waiting_count,
        "running_jobs": [job._asdict() for job in slurm.running],
        "waiting_jobs": [job._asdict() for job in slurm.waiting],
        "nodes_by_user": dict(slurm.nodes_by_user),
    }
