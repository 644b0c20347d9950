"""Images that jobs want and that are not in their registry."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.registry_images import image_is_there
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts


def check(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each image, with the first job that wants it."""
    wanted: dict[str, str] = {}
    for job in (*facts.waiting, *facts.failed):
        for need in job.needs:
            if need.image is not None:
                wanted.setdefault(need.image, f"job {job.name} ({job.id})")
    for image, job_name in wanted.items():
        there = facts.ask("images in their registry", image_is_there, image)
        if there is False:
            yield f"image {image} of {job_name} is not in its registry"
