"""Which of an account's stacks are those of a cluster, or of an environment, by their names and tags."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.edge.aws.stacks import StackState
from trainyard.render.tags import BUCKET, CLUSTER, ENVIRONMENT


def stacks_of_cluster(stacks: Sequence[StackState], name: str, *tags: str) -> tuple[StackState, ...]:
    """Return the stacks of a cluster, the one of its name last; ``tags`` are others that name a cluster."""
    own = [stack for stack in stacks if stack.name == name]
    tagged = [stack for stack in stacks if name in {stack.tags.get(tag) for tag in (CLUSTER, *tags)}]
    return (*(stack for stack in tagged if stack.name != name), *own)


def stacks_of_environment(stacks: Sequence[StackState], name: str) -> tuple[StackState, ...]:
    """Return the stacks of an environment, without those of the clusters in it."""
    return tuple(stack for stack in stacks if stack.tags.get(ENVIRONMENT) == name and CLUSTER not in stack.tags)


def with_environment(stacks: Sequence[StackState], own: tuple[StackState, ...]) -> tuple[StackState, ...]:
    """Return the stacks of a cluster with those of the environment that it uses, where it uses one."""
    name = next((stack.tags[ENVIRONMENT] for stack in own if ENVIRONMENT in stack.tags), None)
    shared = () if name is None else stacks_of_environment(stacks, name)
    return (*own, *(stack for stack in shared if stack not in own))


def bucket_in_tags(stacks: Sequence[StackState], name: str) -> str | None:
    """Return the bucket that the spec of a cluster or environment named, as own_bucket.bucket_of_cluster finds it."""
    of_cluster = [stack for stack in stacks if stack.tags.get(CLUSTER) == name]
    buckets = (stack.tags.get(BUCKET) for stack in (*of_cluster, *stacks_of_environment(stacks, name)))
    return next((bucket for bucket in buckets if bucket), None)
