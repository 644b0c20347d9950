"""What is wrong with a Batch cluster, or soon will be, each with the command to run next."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from shlex import join

from trainyard.operate.nodes.durations import duration
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.batch.status.batch_status import BatchStatus
from trainyard.platforms.batch.status.queues import MISSING

# Instances with eight GPUs take ten minutes until a container runs there; a queue that is merely busy says nothing.
_LONG_S = 1800
# What `trainyard batch image` builds, by the tags under which jobs look for it.
_OWN_IMAGES = ("stress-ng", "nccl", "pytorch")


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
            yield Concern(
                "error", f"{what} is INVALID: {environment.reason or 'Batch says nothing'}", status.command("diagnose")
            )
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
            why = queue.reason or "Batch says nothing"
            yield Concern("error", f"job queue {queue.name} is INVALID: {why}", status.command("diagnose"))
        if queue.state == "DISABLED":
            enable = ("update-job-queue", "--job-queue", queue.name, "--state", "ENABLED")
            yield Concern(
                "warning", f"job queue {queue.name} is DISABLED: it takes no new jobs", _batch(status, *enable)
            )


def _of_waiting(status: Status, batch: BatchStatus) -> Iterator[Concern]:
    told: set[str] = set()
    for one in batch.waiting:
        waits_s = status.at - datetime.fromisoformat(one.submitted).timestamp()
        # Those behind the first wait for what it waits for.
        if one.queue in told or not (one.reason or waits_s > _LONG_S):
            continue
        told.add(one.queue)
        what = f"job {one.name} ({one.id}) of queue {one.queue} is RUNNABLE, submitted {duration(waits_s)} ago"
        yield Concern("warning", f"{what}: {one.reason}" if one.reason else what, status.command("diagnose"))


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
