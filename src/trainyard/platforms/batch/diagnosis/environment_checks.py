"""Environments that start no instances: switched off, no role for the ECS agent, or images that are missing."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.batch_queues import ComputeEnvironment
from trainyard.edge.aws.container_registry import image_is_there
from trainyard.edge.aws.iam import decisions, instance_profile
from trainyard.platforms.batch.diagnosis.cluster_facts import BatchFacts

# Of AmazonEC2ContainerServiceforEC2Role, without which no instance gets to its cluster.
# https://docs.aws.amazon.com/batch/latest/userguide/instance_IAM_role.html
_NEEDED = ("ecs:DiscoverPollEndpoint", "ecs:Poll", "ecs:RegisterContainerInstance", "ecs:SubmitTaskStateChange")


def disabled_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each."""
    for environment in facts.environments:
        jobs = facts.waiting_for(environment)
        if environment.state == "DISABLED" and jobs:
            first = f"job {jobs[0].name} ({jobs[0].id})"
            yield f"compute environment {environment.name} is DISABLED and starts no instances; {first} waits for it"
    for queue in facts.queues:
        if queue.state == "DISABLED":
            yield f"job queue {queue.name} is DISABLED and takes no new jobs"


def missing_images(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each image, with the first job that wants it."""
    users_by_image: dict[str, str] = {}
    for job in (*facts.waiting, *facts.failed):
        for need in job.needs:
            if need.image is not None:
                users_by_image.setdefault(need.image, f"job {job.name} ({job.id})")
    for image, job_name in users_by_image.items():
        exists = facts.ask("images in their registry", image_is_there, image)
        if exists is False:
            yield f"image {image} of {job_name} is not in its registry"


def instance_role_lines(facts: BatchFacts) -> Iterator[str]:
    """Yield a line for each environment whose instances could not come to ECS."""
    for environment in facts.environments:
        if environment.instance_profile:
            yield from _of(facts, environment)


def _of(facts: BatchFacts, environment: ComputeEnvironment) -> Iterator[str]:
    name = environment.instance_profile.rpartition("/")[2]
    what = f"instance profile {name} of compute environment {environment.name}"
    profile = facts.ask("its instance profiles", instance_profile, name)
    if profile is None:
        if not facts.refuses("its instance profiles"):
            yield f"{what} does not exist"
        return
    if profile.role is None:
        yield f"{what} has no role"
        return
    decided = facts.ask("what its instances may do", decisions, profile.role, _NEEDED) or ()
    if refused := [decision.action for decision in decided if decision.decision != "allowed"]:
        yield f"role {profile.role} of {what} is not allowed to do what the ECS agent needs: {', '.join(refused)}"
