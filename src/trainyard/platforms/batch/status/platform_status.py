"""What a Batch cluster has beside other clusters: how it is judged, printed, and given as values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.batch.status.batch_status import BatchStatus, Environment, Image, Queue, Waiting
from trainyard.platforms.batch.status.concerns import batch_concerns

_WORDS = {True: "in its registry", False: "MISSING", None: "not looked at: in no private registry of ECR"}


@dataclass(frozen=True, slots=True)
class BatchPlatformStatus:
    """Its compute environments, job queues, jobs and images."""

    batch: BatchStatus

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up."""
        return "stacks", "nodes"

    @property
    def watch_words(self) -> tuple[str, ...]:
        """No command follows how its nodes come up."""
        return ()

    @property
    def has_nodes(self) -> bool:
        """It has nodes for jobs."""
        return True

    def made_for(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
        """Return the platform, which has no version."""
        return "AWS Batch"

    def concerns(self, status: Status, *, broken: bool) -> Iterator[Concern]:  # noqa: ARG002  part of the protocol
        """Return what is wrong."""
        return batch_concerns(status, self.batch)

    def lines(self, status: Status) -> Iterator[str]:  # noqa: ARG002  part of the protocol
        """Return what is told of it to a person."""
        return batch_lines(self.batch)

    def other_costs(self) -> tuple[str, ...]:
        """Return nothing: Batch itself costs nothing."""
        return ()

    def values(self, status: Status) -> dict[str, Any]:  # noqa: ARG002  part of the protocol
        """Return what is told of it as JSON."""
        return {"batch": batch_values(self.batch)}


def batch_lines(batch: BatchStatus) -> Iterator[str]:
    """Yield the lines of its environments, queues, waiting jobs, images, logs and dashboards."""
    yield from map(_environment, batch.environments)
    yield from map(_queue, batch.queues)
    yield from map(_waiting, batch.waiting)
    yield from map(_image, batch.images)
    yield from (f"  logs {name}" for name in batch.log_groups)
    yield from (f"  dashboard {name}" for name in batch.dashboards)


def batch_values(batch: BatchStatus) -> dict[str, Any]:
    """Return them as values for JSON."""
    return {
        "stack": batch.stack,
        "compute_environments": [
            {**environment._asdict(), "states": dict(environment.states)} for environment in batch.environments
        ],
        "job_queues": [{**queue._asdict(), "jobs": dict(queue.jobs)} for queue in batch.queues],
        "waiting": [waiting._asdict() for waiting in batch.waiting],
        "images": [image._asdict() for image in batch.images],
        "log_groups": list(batch.log_groups),
        "dashboards": list(batch.dashboards),
    }


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
