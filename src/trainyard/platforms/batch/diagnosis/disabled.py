"""Environments and queues that somebody has switched off, and environments that a queue names and that are gone."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts


def check(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each."""
    for one in facts.environments:
        jobs = facts.waiting_for(one)
        if one.state == "DISABLED" and jobs:
            first = f"job {jobs[0].name} ({jobs[0].id})"
            yield f"compute environment {one.name} is DISABLED and starts no instances; {first} waits for it"
    for queue in facts.queues:
        if queue.state == "DISABLED":
            yield f"job queue {queue.name} is DISABLED and takes no new jobs"
