"""How the status of a Batch cluster is printed: what it has beside other clusters, in lines, or as values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.platforms.batch.status.batch_status import BatchStatus, Environment, Image, Queue, Waiting

_WORDS = {True: "in its registry", False: "MISSING", None: "not looked at: in no private registry of ECR"}


def batch_lines(batch: BatchStatus) -> Iterator[str]:
    """Yield the lines of its environments, queues, waiting jobs, images, logs and dashboards."""
    yield from map(_environment, batch.environments)
    yield from map(_queue, batch.queues)
    yield from map(_waiting, batch.waiting)
    yield from map(_image, batch.images)
    yield from (f"  logs {name}" for name in batch.log_groups)
    yield from (f"  dashboard {name}" for name in batch.dashboards)


def _environment(one: Environment) -> str:
    reserved = f", {one.reservation}" if one.reservation else ""
    what = f"  compute environment {one.name} {_state(one)}: {one.kind} {' or '.join(one.instance_types)}".rstrip(": ")
    counts = ", ".join(f"{count} {state}" for state, count in one.states.items()) or "no instances"
    return f"{what}, {counts}; vCPUs {one.desired_vcpus} wanted of {one.min_vcpus} to {one.max_vcpus}{reserved}"


def _state(one: Environment | Queue) -> str:
    """Return state, status and reason; Batch says of what is well that it is Healthy."""
    reason = "" if one.reason.endswith("Healthy") or not one.reason else f"({one.reason})"
    return " ".join(word for word in (one.state, one.status, reason) if word)


def _queue(one: Queue) -> str:
    counts = [f"{count}{' or more' if status in one.more else ''} {status}" for status, count in one.jobs.items()]
    return f"  job queue {one.name} {_state(one)}: {', '.join(counts) or 'no jobs'}"


def _waiting(one: Waiting) -> str:
    nodes = f", {one.nodes} nodes" if one.nodes is not None else ""
    why = f": {one.reason}" if one.reason else ""
    return f"  waiting in {one.queue}: {one.name} ({one.id}{nodes}) since {one.submitted}{why}"


def _image(one: Image) -> str:
    return f"  image {one.image} of {', '.join(one.definitions)}: {_WORDS[one.there]}"


def batch_values(batch: BatchStatus) -> dict[str, Any]:
    """Return them as values for JSON."""
    return {
        "stack": batch.stack,
        "compute_environments": [{**one._asdict(), "states": dict(one.states)} for one in batch.environments],
        "job_queues": [{**one._asdict(), "jobs": dict(one.jobs)} for one in batch.queues],
        "waiting": [one._asdict() for one in batch.waiting],
        "images": [one._asdict() for one in batch.images],
        "log_groups": list(batch.log_groups),
        "dashboards": list(batch.dashboards),
    }
