"""An image of a cluster: what it is built of, for which processors, and where it is pushed to."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.batch_job_state import find_definition
from trainyard.edge.aws.container_registry import digest_of, find_repository
from trainyard.edge.docker import build_words
from trainyard.errors import InputError, TrainyardError
from trainyard.platforms.batch.jobs.cluster import ClusterQueue, batch_cluster
from trainyard.platforms.batch.rendering.container_images import ContainerImage, image_for, platform_for

# https://docs.aws.amazon.com/AmazonECR/latest/APIReference/API_ImageIdentifier.html, and what a job definition takes
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_RUNS = {"stress-ng": "stress-ng", "nccl": "nccl", "pytorch": "torchrun"}


@dataclass(frozen=True, slots=True)
class ImageBuild:
    """What is to be done."""

    image: ContainerImage
    name: str
    """With registry, repository and tag."""
    repository: str
    tag: str
    platform: str
    region: str
    files: Mapping[str, bytes]

    @property
    def registry(self) -> str:
        """Return the host that it is pushed to."""
        return self.name.partition("/")[0]

    def commands(self, engine: str, folder: str) -> tuple[str, ...]:
        """Return the same by hand, as lines of a shell."""
        password = f"aws ecr get-login-password --region {shlex.quote(self.region)}"
        return (
            shlex.join((engine, *build_words(self.name, self.platform, folder))),
            f"{password} | {shlex.join((engine, 'login', '--username', 'AWS', '--password-stdin', self.registry))}",
            shlex.join((engine, "push", self.name)),
            shlex.join((engine, "logout", self.registry)),
        )

    @property
    def next_step(self) -> str | None:
        """Return what the spec has to say so that jobs run it, None where they do by default."""
        if self.tag == self.image.tag and self.image.name != "nccl":
            return None
        return f"write {self.image.field}: {self.name} into the spec and deploy it, so that jobs run it"


def image_build(
    account: Account, cluster_name: str, image: str, *, tag: str | None = None, queue: str | None = None
) -> ImageBuild:
    """Return how an image of a cluster is built and pushed.

    Raises InputError where the tag is none or taken already, TrainyardError where there is no cluster or repository.
    """
    if tag is not None and not _TAG.fullmatch(tag):
        hint = "letters, digits, hyphens, dots and underscores, such as stress-ng-2"
        raise InputError(f"{tag!r} is no tag", where="--tag", hint=hint)
    cluster = batch_cluster(account, cluster_name)
    instance_type = _instance_type(account, cluster.queue(queue), image)
    repository = find_repository(account, cluster.repository) if cluster.repository else None
    if repository is None:
        hint = f"`trainyard status {cluster_name} --region {account.region}` says what is left of it; deploy it again"
        raise TrainyardError(f"there is no repository {cluster.repository} in ECR", where=cluster.stack, hint=hint)
    container_image, platform = image_for(image, instance_type), platform_for(instance_type)
    image_tag = tag or container_image.tag
    build = ImageBuild(
        container_image,
        f"{repository.url}:{image_tag}",
        repository.name,
        image_tag,
        platform,
        account.region,
        container_image.files(),
    )
    if repository.fixed_tags and digest_of(account, repository.name, image_tag) is not None:
        raise _taken(build)
    return build


def _instance_type(account: Account, queue: ClusterQueue, image: str) -> str:
    kind = _RUNS[image]
    arn = queue.definitions.get(kind)
    if arn is None:
        hint = f"it has {', '.join(queue.definitions)}; --queue names another one"
        raise InputError(f"the queue {queue.name} runs no job {kind}", where=image, hint=hint)
    definition = find_definition(account, arn)
    if definition is None or definition.instance_type is None:
        hint = "deploy the cluster again"
        raise TrainyardError(f"the job definition {arn} names no instance type any more", where=image, hint=hint)
    return definition.instance_type


def _taken(build: ImageBuild) -> InputError:
    another = f"{build.tag}-2"
    return InputError(
        f"{build.name} is there already, and tags of this repository never change what they name",
        where="--tag",
        hint=f"push it as another one with --tag {another}, write {build.image.field}: "
        f"{build.name.rpartition(':')[0]}:{another} into the spec, and deploy it",
    )
