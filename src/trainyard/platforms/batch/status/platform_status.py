"""What a Batch cluster has beside other clusters: how it is judged, printed, and given as values for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from shlex import join
from typing import Any

from trainyard.counts import count_text
from trainyard.foreign_text import quoted, quoted_or
from trainyard.operate.nodes.durations import duration
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.batch.status.batch_status import (
    BatchStatus,
    ComputeEnvironmentStatus,
    JobImage,
    QueueStatus,
    WaitingJob,
)
from trainyard.platforms.batch.status.queues import MISSING

_SILENT = "Batch says nothing"
_WORDS = {True: "in its registry", False: "MISSING", None: "not looked at: in no private registry of ECR"}
# Instances with eight GPUs take ten minutes until a container runs there; a queue that is merely busy says nothing.
_LONG_S = 1800
# What `trainyard batch image` builds, by the tags under which jobs look for it.
_OWN_IMAGES = ("stress-ng", "nccl", "pytorch")


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

    def version_note(self, status: Status) -> str:  # noqa: ARG002  part of the protocol
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


def _environment(environment: ComputeEnvironmentStatus) -> str:
    reserved = f", {environment.reservation}" if environment.reservation else ""
    types = " or ".join(environment.instance_types)
    what = f"  compute environment {environment.name} {_state(environment)}: {environment.kind} {types}".rstrip(": ")
    counts = ", ".join(f"{count} {state}" for state, count in environment.states.items()) or "no instances"
    vcpus = f"{environment.desired_vcpus} wanted of {environment.min_vcpus} to {environment.max_vcpus}"
    return f"{what}, {counts}; vCPUs {vcpus}{reserved}"


def _state(part: ComputeEnvironmentStatus | QueueStatus) -> str:
    """Return state, status and reason; Batch says of what is well that it is Healthy."""
    reason = "" if part.reason.endswith("Healthy") or not part.reason else f"({quoted(part.reason)})"
    return " ".join(word for word in (part.state, part.status, reason) if word)


def _queue(queue: QueueStatus) -> str:
    counts = [f"{count}{' or more' if status in queue.more else ''} {status}" for status, count in queue.jobs.items()]
    return f"  job queue {queue.name} {_state(queue)}: {', '.join(counts) or 'no jobs'}"


def _waiting(job: WaitingJob) -> str:
    nodes = f", {count_text(job.nodes, 'node')}" if job.nodes is not None else ""
    why = f": {quoted(job.reason)}" if job.reason else ""
    return f"  waiting in {job.queue}: {job.name} ({job.id}{nodes}) since {job.submitted}{why}"


def _image(image: JobImage) -> str:
    return f"  image {image.image} of {', '.join(image.definitions)}: {_WORDS[image.there]}"


def batch_concerns(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    """Yield what is wrong."""
    if not status.has_own_stack(batch.stack):
        yield Concern("error", "the cluster itself is not there", status.command("logs"))
    yield from _of_environments(status, batch)
    yield from _of_queues(status, batch)
    yield from _of_waiting(status, batch)
    yield from _of_images(status, batch)


def _batch(status: Status, *words: str) -> str:
    return join(["aws", "batch", *words, "--region", status.region])


def _of_environments(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    for environment in batch.environments:
        what = f"compute environment {environment.name}"
        if environment.state == MISSING:
            yield Concern("error", f"{what} is not there any more", status.command("diagnose"))
            continue
        if environment.status == "INVALID":
            why = quoted_or(environment.reason, _SILENT)
            yield Concern("error", f"{what} is INVALID: {why}", status.command("diagnose"))
        if environment.state == "DISABLED":
            enable = ("update-compute-environment", "--compute-environment", environment.name, "--state", "ENABLED")
            yield Concern("warning", f"{what} is DISABLED: it starts no instances", _batch(status, *enable))
        if environment.late:
            count = f"{len(environment.late)} instance{'s' if len(environment.late) > 1 else ''} of {what}"
            shown = f"{count} ({environment.late[0]}{', …' if len(environment.late) > 1 else ''})"
            yield Concern(
                "warning", f"{shown} did not come to its ECS cluster, so no job gets there", status.command("diagnose")
            )


def _of_queues(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    for queue in batch.queues:
        if queue.state == MISSING:
            yield Concern("error", f"job queue {queue.name} is not there any more", status.command("diagnose"))
            continue
        if queue.status == "INVALID":
            why = quoted_or(queue.reason, _SILENT)
            yield Concern("error", f"job queue {queue.name} is INVALID: {why}", status.command("diagnose"))
        if queue.state == "DISABLED":
            enable = ("update-job-queue", "--job-queue", queue.name, "--state", "ENABLED")
            yield Concern(
                "warning", f"job queue {queue.name} is DISABLED: it takes no new jobs", _batch(status, *enable)
            )


def _of_waiting(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    queues_told: set[str] = set()
    for job in batch.waiting:
        waits_s = status.at - datetime.fromisoformat(job.submitted).timestamp()
        # Those behind the first wait for what it waits for.
        if job.queue in queues_told or not (job.reason or waits_s > _LONG_S):
            continue
        queues_told.add(job.queue)
        what = f"job {job.name} ({job.id}) of queue {job.queue} is RUNNABLE, submitted {duration(waits_s)} ago"
        yield Concern("warning", f"{what}: {quoted(job.reason)}" if job.reason else what, status.command("diagnose"))


def _of_images(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    for image in batch.images:
        if image.there is False:
            names = ", ".join(image.definitions)
            what = f"image {image.image} is not in its registry: jobs of {names} cannot start"
            yield Concern("warning", what, _pushing(status, batch, image.image))


def _pushing(status: Status, batch: BatchStatus, image: str) -> str:
    """Return the command that pushes one of our images; of another, the one that lists what is in its repository."""
    name, _, tag = image.partition("/")[2].partition(":")
    if batch.stack == f"{status.name}-batch" and tag in _OWN_IMAGES:
        return join(["trainyard", "batch", "image", status.name, tag, "--region", status.region])
    return join(["aws", "ecr", "describe-images", "--repository-name", name, "--region", status.region])
